import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { Icon } from '../icon.tsx'
import { Time } from '../time.tsx'
import { visible } from '../visible.ts'
import { type Conflict, withValuesOf } from './conflict.ts'
import { valueAt } from './faults.ts'
import { getNames, getPattern } from './labels.ts'
import type { Form } from './use-form.ts'

type ConflictForm = Pick<Form<object>, 'values' | 'set' | 'labels' | 'texts' | 'isDirty'>

/** Who changed the record during the edit, what, and which of both values the form keeps. */
export function ConflictView(props: {
  conflict: Conflict<object>
  form: ConflictForm
  /** Replaces the edit by the newest record. */
  onReload: (() => void) | undefined
}) {
  const { t } = useLingui()
  const { conflict, form } = props
  const place = useRef<HTMLDivElement>(null)
  // It loads after the rejection, which moves the focus to a summary.
  useEffect(() => place.current?.focus(), [])
  const by = conflict.by ?? t`Another user`
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
        <Text size="sm">
          {conflict.at !== null && (
            <>
              <Trans>
                Saved <Time at={conflict.at} />.
              </Trans>{' '}
            </>
          )}
          {form.isDirty ? (
            <Trans>Check the values and save again.</Trans>
          ) : (
            <Trans>All values are theirs: nothing is left to save.</Trans>
          )}
        </Text>
        {conflict.taken.map((path) => (
          <Text size="sm" key={path}>
            <FieldName path={path} form={form} />: <Value path={path} of={conflict.theirs} form={form} />
          </Text>
        ))}
        {conflict.both.map((path) => (
          <FieldChoice key={path} path={path} conflict={conflict} form={form} />
        ))}
        {props.onReload && (
          <div>
            <Button
              size="compact-sm"
              variant="default"
              h="auto"
              mih={26}
              styles={{ label: { whiteSpace: 'normal' } }}
              onClick={props.onReload}
            >
              <Trans>Discard my changes and reload</Trans>
            </Button>
          </div>
        )}
      </Stack>
    </Alert>
  )
}

interface FieldProps {
  path: string
  form: ConflictForm
}

const getName = ({ path, form }: FieldProps) => getNames(path, form.labels).join(' – ') || path

const FieldName = (props: FieldProps) => <strong>{getName(props)}</strong>

/** A field that both users changed: one of both values. */
function FieldChoice({ path, form, conflict }: FieldProps & { conflict: Conflict<object> }) {
  const { t } = useLingui()
  const label = getName({ path, form })
  const take = (from: object) => form.set(withValuesOf(form.values, from, [path]))
  const now = JSON.stringify(valueAt(form.values, path))
  const isTheirs = now === JSON.stringify(valueAt(conflict.theirs, path))
  return (
    <div>
      <Text size="sm">
        <strong>{label}</strong>: <Trans>yours</Trans> <Value path={path} of={conflict.mine} form={form} />,{' '}
        <Trans>theirs</Trans> <Value path={path} of={conflict.theirs} form={form} />
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

function Value({ path, of, form }: FieldProps & { of: object }) {
  const { t } = useLingui()
  const value = valueAt(of, path)
  const own = form.texts[getPattern(path)]
  const text = own === undefined ? getText(value, t`Yes`, t`No`) : own(value as never)
  return text === '' ? <Trans>empty</Trans> : <q>{text}</q>
}

/** A value of any field, as one line. */
function getText(value: unknown, yes: string, no: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map((each) => getText(each, yes, no)).join(', ')
  if (typeof value === 'object')
    return Object.values(value)
      .map((each) => getText(each, yes, no))
      .join(' ')
  return visible(String(value))
}
