import { useLingui } from '@lingui/react/macro'
import { Alert, Button, List, Text } from '@mantine/core'
import { faultText } from '../../api/failure-text.ts'
import { Icon } from '../icon.tsx'
import type { Form } from './use-form.ts'

/** Above the fields after a refusal: every fault by the name of its field, or the cause; and the way out of a conflict. */
export function FormSummary<Values>(props: {
  form: Pick<Form<Values>, 'faults' | 'failure' | 'isConflict'>
  /** Names of fields by the beginning of their path. */
  labels: Readonly<Record<string, string>>
  /** Reads the record again after a conflict. */
  onReload?: (() => void) | undefined
}) {
  const { t, i18n } = useLingui()
  const { faults, failure, isConflict } = props.form
  if (faults.length === 0 && failure === undefined) return null
  const lines = faults.map((fault) => {
    const place = Object.keys(props.labels).find(
      (path) => fault.path === path || fault.path.startsWith(`${path}.`),
    )
    const label = place === undefined ? fault.path : props.labels[place]
    const text = faultText(fault, i18n)
    return label === '' || label === undefined ? text : `${label}: ${text}`
  })
  return (
    <Alert
      color="red"
      role="alert"
      tabIndex={-1}
      data-form-summary
      icon={<Icon name="alert-circle" />}
      title={faults.length > 0 ? t`Please check what is marked below` : t`It could not be saved`}
    >
      {failure !== undefined && (
        <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {failure}
        </Text>
      )}
      {lines.length > 0 && (
        <List size="sm">
          {[...new Set(lines)].map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      {isConflict && props.onReload !== undefined && (
        <Button size="xs" mt="xs" variant="default" onClick={props.onReload}>
          {t`Discard my changes and load it again`}
        </Button>
      )}
    </Alert>
  )
}
