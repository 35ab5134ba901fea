import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { noticeDone, noticeProblem } from '../../api/notices.ts'
import { Confirm } from '../../ui/dialog.tsx'

/** Longest text that the notice of a failed copy shows. */
const SHOWN_LENGTH = 400

/** Copies `text` and shows `done`; where the browser forbids it, shows the text to copy. */
async function copyText(text: string, done: string): Promise<void> {
  try {
    // Undefined without a secure connection.
    await navigator.clipboard.writeText(text)
    noticeDone(done)
  } catch {
    const advice = i18n._(msg`Allow this site to use the clipboard, or copy the text here:`)
    const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)} …` : text
    noticeProblem(i18n._(msg`The browser does not allow copying`), `${advice}\n${shown}`)
  }
}

/** Copies the address of the page. */
export const copyLink = (): Promise<void> => copyText(location.href, i18n._(msg`Link copied`))

/** Copies these references, one per line. */
export const copyReferences = (keys: Iterable<string>): Promise<void> =>
  copyText([...keys].join('\n'), i18n._(msg`References copied`))

/** Asks before an own view is deleted. */
export default function DeleteView(props: { name: string; onDelete: () => void; onClose: () => void }) {
  const { t } = useLingui()
  const { name, onDelete, onClose } = props
  return (
    <Confirm
      title={t`Delete the view ${name}?`}
      confirmLabel={t`Delete`}
      isDangerous
      onConfirm={() => {
        onDelete()
        onClose()
      }}
      onClose={onClose}
    >
      <Text>{t`Only its name and filters are deleted.`}</Text>
    </Confirm>
  )
}
