import { HoldReason, MATTER_NAME_LIMIT, MatterName } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Autocomplete, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { holdsApi, openMattersQuery } from '../../api/governance-api.ts'
import { queryClient } from '../../api/query-client.ts'
import { useMay } from '../../api/use-profile.ts'
import { chooseOnlyMatch } from '../../theme/theme.ts'
import { shapeFaults } from '../../ui/form/faults.ts'
import type { Form } from '../../ui/form/use-form.ts'

/** The matter of a hold by its name, empty for none, and the reason for the hold or for a new matter. */
export interface MatterDraft {
  matter: string
  reason: string
}

/** A text of one line without spaces around it. */
export const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ')

const folded = (name: string): string => oneLine(name).toLocaleLowerCase()

const matterNamed = <Matter extends { name: string }>(matters: readonly Matter[], typed: string) =>
  matters.find(({ name }) => folded(name) === folded(typed))

/** The open matter that the draft names; opens a matter of that name if none has it. */
export async function getMatter({ matter, reason }: MatterDraft): Promise<string> {
  const known = matterNamed(await queryClient.fetchQuery(openMattersQuery), matter)
  if (known) return known.matter_id
  const opened = await holdsApi.openLegalMatter({ body: { name: oneLine(matter), ...getReason(reason) } })
  return opened.matter_id
}

/** The reason as a call takes it. */
export const getReason = (typed: string): { reason?: string } =>
  oneLine(typed) === '' ? {} : { reason: oneLine(typed) }

/** Faults of the fields below. */
export const matterFaults = ({ matter, reason }: MatterDraft, { isOptional = false } = {}) => [
  ...(isOptional && oneLine(matter) === '' ? [] : shapeFaults(MatterName, oneLine(matter), 'matter')),
  ...(oneLine(reason) === '' ? [] : shapeFaults(HoldReason, oneLine(reason), 'reason')),
]

/** Chooses an open matter or names a new one. A known matter has its reason; otherwise a field asks for one. */
export function MatterFields({
  form,
  isOptional = false,
  isFirst = false,
}: {
  form: Pick<Form<MatterDraft>, 'field' | 'values'>
  isOptional?: boolean
  /** Whether it has the focus of the dialog. */
  isFirst?: boolean
}) {
  const { t } = useLingui()
  const may = useMay()
  const mayChoose = may('account.legal_matters:list') && may('account.legal_matters:update')
  const { data: matters = [] } = useQuery({ ...openMattersQuery, enabled: mayChoose })
  const isKnown = matterNamed(matters, form.values.matter) !== undefined
  return (
    <>
      {mayChoose && (
        <Autocomplete
          label={t({ context: 'legal matter', message: 'Legal matter' })}
          description={
            may('account.legal_matters:create')
              ? t`An open matter, or the name of a new one`
              : t`The name of an open matter`
          }
          placeholder={isOptional ? t`Without a matter` : undefined}
          // A complete name has no suggestions that would cover the buttons.
          data={isKnown ? [] : [...new Set(matters.map(({ name }) => name))]}
          onKeyDown={chooseOnlyMatch}
          {...form.field('matter')}
          maxLength={MATTER_NAME_LIMIT}
          required={!isOptional}
          data-autofocus={isFirst || undefined}
        />
      )}
      {!isKnown && (
        <TextInput
          label={t`Reason`}
          description={t`Optional. Shown in the hold’s history, never logged`}
          {...form.field('reason')}
          maxLength={500}
          autoComplete="off"
        />
      )}
    </>
  )
}
