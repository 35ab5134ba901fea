import { useLingui } from '@lingui/react/macro'
import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { ShortForm } from '../ui/form/short-form.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { Dialog } from '../ui/dialog.tsx'

/** Dialog that asks for a reason. Stays open with the cause when the action fails. */
export function ReasonDialog<Result>(props: {
  title: ReactNode
  /** Hint for the reason. */
  description: string
  /** Field of the call, for the server's faults. */
  name: string
  /** Length limits in characters. */
  limits: { min: number; max: number }
  submitLabel: ReactNode
  isDangerous?: boolean
  save: (reason: string) => Promise<Result>
  onSaved: (result: Result) => void
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useLingui()
  const { name, limits, onClose } = props
  const form = useForm<{ reason: string }, Result>({
    initial: { reason: '' },
    labels: { [name]: t`Reason` },
    check: ({ reason }) =>
      reason.trim().length < limits.min
        ? [{ path: name, code: 'too_short', message: '', values: { limit: limits.min } }]
        : [],
    save: ({ reason }) => props.save(reason.trim()),
    onSaved: props.onSaved,
  })
  const { errorAt, set, values } = form
  return (
    <Dialog onClose={onClose} title={props.title}>
      <ShortForm form={form} save={props.submitLabel} isDangerous={props.isDangerous} onCancel={onClose}>
        <div>{props.children}</div>
        <Textarea
          label={t`Reason`}
          description={props.description}
          value={values.reason}
          onChange={(event) => set({ reason: event.currentTarget.value })}
          error={errorAt(name)}
          maxLength={limits.max}
          autosize
          minRows={3}
          maxRows={10}
          required
          data-autofocus
        />
      </ShortForm>
    </Dialog>
  )
}
