import type { PayloadType, TransferWidening } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../facts.tsx'
import { PAYLOAD_TYPE_WORDS } from '../words/payload-words.ts'
import {
  TARGET_WORDS,
  TRANSFER_FORMAT_WORDS,
  TRANSFER_TYPE_WORDS,
  useTargetLabels,
} from './transfer-words.ts'

type ChangedSetting = TransferWidening['changed']

/** By what a configuration sends more than before, elsewhere or in another form: what the second person approves. */
export function WidenedFacts({ widened }: { widened: readonly TransferWidening[] }) {
  const { t, i18n } = useLingui()
  const target = useTargetLabels()
  const labels: Partial<Record<ChangedSetting, string>> = {
    config: t`Configuration`,
    transfer_type: t({ context: 'transfer', message: 'What' }),
    payload_types: t`Kinds of recordings`,
    schedule: t`Schedule`,
    transfer_file_format: t`Format`,
    pgp_key: t`Public key`,
    is_active: t`Switched on`,
    reach: t`More groups`,
    is_alertable: t`Alert when the role is used`,
    zip_password: t`Password of the zip files`,
    ...target,
  }
  const getLabel = (changed: ChangedSetting) =>
    labels[changed.replace(/^params\./, '') as ChangedSetting] ?? visible(changed)
  const getText = ({ changed, before, after }: TransferWidening) => {
    if (changed === 'config') return t`New configuration`
    const [was = '–', will = '–'] = [before, after].map((values) =>
      values.length === 0 ? undefined : values.map((value) => getWord(i18n, changed, value)).join(', '),
    )
    if (changed === 'reach') return will
    return was === will ? t`Replaced` : t`${was}, then ${will}`
  }
  return (
    <Facts title={t`Changes to approve`}>
      {widened.map((each) => (
        <Fact key={each.changed} label={getLabel(each.changed)}>
          {getText(each)}
        </Fact>
      ))}
    </Facts>
  )
}

const WORDS = {
  transfer_type: TRANSFER_TYPE_WORDS,
  transfer_file_format: TRANSFER_FORMAT_WORDS,
  'params.target_type': TARGET_WORDS,
  payload_types: PAYLOAD_TYPE_WORDS,
  reach: PAYLOAD_TYPE_WORDS,
}

/** Text of a value; `true` and `false` mean switched on and off. */
function getWord(i18n: I18n, changed: ChangedSetting, value: string): string {
  if (value === 'true') return i18n._(msg`Yes`)
  if (value === 'false') return i18n._(msg({ context: 'answer', message: 'No' }))
  const words = changed in WORDS ? WORDS[changed as keyof typeof WORDS] : undefined
  const word = words?.[value as keyof typeof words & PayloadType]
  return word ? i18n._(word) : visible(value)
}
