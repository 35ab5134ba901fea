import { Trans, useLingui } from '@lingui/react/macro'
import { Button, CloseButton, Group, Text } from '@mantine/core'
import { Suspense } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './bulk-bar.module.css'
import type { ListDefinition } from './list-definition.ts'
import { SELECTION_LIMIT, type Selection } from './selection.ts'

/** Actions on the selected rows; replaces the filters while rows are selected. */
export function BulkBar(props: {
  selection: Selection
  onExport: () => void
  onClear: () => void
  Actions?: ListDefinition<never, never>['BulkActions']
}) {
  const { t } = useLingui()
  const { keys, isCut } = props.selection
  const count = keys.size
  const copy = () =>
    void navigator.clipboard.writeText([...keys].join('\n')).then(() => noticeDone(t`References copied`))
  return (
    <div role="toolbar" aria-label={t`Selected rows`} className={classes.bar}>
      <CloseButton aria-label={t`Clear the selection`} onClick={props.onClear} />
      <Text fw={650} className="tabular" component="output">
        <Trans>
          {count} of {SELECTION_LIMIT} selected
        </Trans>
        {isCut && (
          <Text span fw={400} ml={8}>
            <Trans>This is the limit of one operation.</Trans>
          </Text>
        )}
      </Text>
      <Group gap={8} ml="auto">
        {props.Actions && (
          <Suspense>
            <props.Actions keys={[...keys]} onDone={props.onClear} />
          </Suspense>
        )}
        <Button size="xs" variant="default" leftSection={<Icon name="copy" size={15} />} onClick={copy}>
          <Trans>Copy references</Trans>
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          onClick={props.onExport}
        >
          <Trans>Export CSV</Trans>
        </Button>
      </Group>
    </div>
  )
}
