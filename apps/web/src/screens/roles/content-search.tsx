import type { AccountDefaults } from '@custodia/contract'
import { Plural, Trans } from '@lingui/react/macro'
import { Switch, Text } from '@mantine/core'

/** Content search setting, its effect on secrecy, and the progress of the index. */
export function ContentSearch({
  label,
  value,
  index: { state, indexed },
  onChange,
  isReadOnly,
}: {
  label: string
  value: boolean
  index: AccountDefaults['content_index']
  onChange: (value: boolean) => void
  isReadOnly: boolean
}) {
  return (
    <Switch
      label={label}
      checked={value}
      disabled={isReadOnly}
      onChange={({ currentTarget: { checked } }) => onChange(checked)}
      description={
        <>
          <Text span display="block" inherit>
            <Trans>
              Users can search the words of messages, notes, comments and file names that they may open.
            </Trans>
          </Text>
          <Text span display="block" inherit mt={4}>
            <Trans>
              Risk: a reader of the database without keys sees how often each word occurs per month and which
              texts share words, and can guess common ones. A person who can also message recorded phones can
              test words. Switching off erases key and index.
            </Trans>
          </Text>
          {state === 'building' && (
            <Text span display="block" inherit mt={4}>
              <Plural value={indexed} one="Indexing: # text so far" other="Indexing: # texts so far" />
            </Text>
          )}
          {state === 'ready' && (
            <Text span display="block" inherit mt={4}>
              <Plural value={indexed} one="# text can be searched" other="# texts can be searched" />
            </Text>
          )}
          {state === 'erasing' && (
            <Text span display="block" inherit mt={4}>
              <Trans>Erasing the index.</Trans>
            </Text>
          )}
        </>
      }
    />
  )
}
