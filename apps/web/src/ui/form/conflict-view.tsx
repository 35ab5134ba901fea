import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Icon } from '../icon.tsx'
import { Time } from '../time.tsx'
import { visible } from '../visible.ts'
import type { Conflict } from './conflict.ts'
import { namesOf } from './labels.ts'
import type { Form } from './use-form.ts'

/** Who changed the record during the edit, what, and which of both values the form keeps. */
export function ConflictView<Values>(props: {
  conflict: Conflict<Values>
  form: Pick<Form<Values>, 'values' | 'set' | 'labels'>
}) {
  const { t } = useLingui()
  const { conflict, form } = props
  const place = useRef<HTMLDivElement>(null)
  // It loads after the rejection, which moves the focus to a summary.
  useEffect(() => place.current?.focus(), [])
  const by = conflict.by === null ? t`Another user` : visible(conflict.by)
  return (
    <Alert
      color="orange"
      role="alert"
      tabIndex={-1}
      ref={place}
      icon={<Icon name="warning" />}
      title={t`${by} changed this during your edit`}
    >
      <Stack gap="xs">
        {conflict.at !== null && (
          <Text size="sm">
            <Trans>
              Saved <Time at={conflict.at} />. Check the values and save again.
            </Trans>
          </Text>
        )}
        {conflict.taken.map((name) => (
          <Text size="sm" key={name}>
            <FieldName name={name} form={form} />: <Value value={conflict.theirs[name]} />
          </Text>
        ))}
        {conflict.both.map((name) => (
          <FieldChoice key={name} name={name} conflict={conflict} form={form} />
        ))}
      </Stack>
    </Alert>
  )
}

interface FieldProps<Values> {
  name: keyof Values & string
  form: Pick<Form<Values>, 'values' | 'set' | 'labels'>
}

const FieldName = <Values,>({ name, form }: FieldProps<Values>) => (
  <strong>{namesOf(name, form.labels).at(-1) ?? name}</strong>
)

/** A field that both users changed: one of both values. */
function FieldChoice<Values>({ name, form, conflict }: FieldProps<Values> & { conflict: Conflict<Values> }) {
  const { t } = useLingui()
  const label = namesOf(name, form.labels).at(-1) ?? name
  const take = (from: Values) => form.set({ [name]: from[name] } as unknown as Partial<Values>)
  const isTheirs = form.values[name] === conflict.theirs[name]
  return (
    <div>
      <Text size="sm">
        <FieldName name={name} form={form} />: <Trans>yours</Trans> <Value value={conflict.mine[name]} />,{' '}
        <Trans>theirs</Trans> <Value value={conflict.theirs[name]} />
      </Text>
      <Group gap={6} mt={4}>
        <Button
          size="compact-sm"
          variant={isTheirs ? 'default' : 'filled'}
          aria-pressed={!isTheirs}
          aria-label={t`Keep mine: ${label}`}
          onClick={() => take(conflict.mine)}
        >
          <Trans>Keep mine</Trans>
        </Button>
        <Button
          size="compact-sm"
          variant={isTheirs ? 'filled' : 'default'}
          aria-pressed={isTheirs}
          aria-label={t`Take theirs: ${label}`}
          onClick={() => take(conflict.theirs)}
        >
          <Trans>Take theirs</Trans>
        </Button>
      </Group>
    </div>
  )
}

function Value({ value }: { value: unknown }) {
  const { t } = useLingui()
  return <q>{textOf(value, t`Yes`, t`No`)}</q>
}

/** A value of any field, as one line. */
function textOf(value: unknown, yes: string, no: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map((each) => textOf(each, yes, no)).join(', ')
  if (typeof value === 'object')
    return Object.values(value)
      .map((each) => textOf(each, yes, no))
      .join(' ')
  return visible(String(value))
}
