import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { noticeDone, noticeProblem } from '../../api/notices.ts'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { VIEW_NAME_LENGTH } from './saved-views.ts'

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

/** What a dialog does with a view: saves the filters, renames an own view, or deletes it. */
export type ViewAct = 'save' | 'rename' | 'delete'

/** Asks for the name under which filters are saved or a view is renamed, or before a view is deleted. */
export default function ViewDialog(props: {
  act: ViewAct
  /** Of the own view. */
  name: string | undefined
  /** Whether the count of known hits is loaded; undefined: the list is no content search. */
  hasNews: boolean | undefined
  /** Returns false when another view has the name. */
  onSave: (name: string, hasNews: boolean) => boolean
  onRename: (name: string) => boolean
  onDelete: () => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const { act, name = '', hasNews, onClose } = props
  const [isWatched, setWatched] = useState(false)
  const close = (isDone: boolean) => {
    if (isDone) onClose()
    return isDone
  }
  if (act === 'delete')
    return (
      <Confirm
        title={t`Delete the view ${name}?`}
        confirmLabel={t`Delete`}
        isDangerous
        onConfirm={() => {
          props.onDelete()
          onClose()
        }}
        onClose={onClose}
      >
        <Text>{t`Only its name and filters are deleted.`}</Text>
      </Confirm>
    )
  if (act === 'rename')
    return (
      <Dialog title={t`Rename the view`} onClose={onClose} size="sm">
        <NameForm name={name} onSave={(next) => close(props.onRename(next))} />
      </Dialog>
    )
  return (
    <Dialog title={t`Save view`} onClose={onClose} size="sm">
      <NameForm onSave={(next) => close(props.onSave(next, isWatched))}>
        {hasNews !== undefined && (
          <Switch
            size="xs"
            label={t`Tell me about new hits`}
            description={t`This browser keeps the search and its words`}
            checked={isWatched}
            disabled={!hasNews}
            onChange={(event) => setWatched(event.currentTarget.checked)}
          />
        )}
      </NameForm>
    </Dialog>
  )
}

/** Asks for the name of a view. */
function NameForm(props: {
  name?: string | undefined
  /** Returns false when another view has the name. */
  onSave: (name: string) => boolean
  children?: ReactNode
}) {
  const { t } = useLingui()
  const [name, setName] = useState(props.name ?? '')
  const [isTaken, setTaken] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') setTaken(!props.onSave(name))
  }
  return (
    <form onSubmit={save}>
      <Stack gap={10}>
        <TextInput
          data-autofocus
          size="xs"
          label={t`Name of the view`}
          maxLength={VIEW_NAME_LENGTH}
          value={name}
          error={isTaken && t`Another view has this name.`}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setTaken(false)
          }}
          onFocus={(event) => event.currentTarget.select()}
        />
        {props.children}
        <Group justify="flex-end">
          <Button type="submit" size="xs" disabled={name.trim() === ''}>
            {t`Save`}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
