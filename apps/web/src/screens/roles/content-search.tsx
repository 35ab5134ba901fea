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
              Words of messages, notes, comments and file names can be searched by whoever may play or read
              them.
            </Trans>
          </Text>
          <Text span display="block" inherit mt={4}>
            <Trans>
              What it gives away: whoever has the database, and not the keys, sees how often each word of a
              month comes and which texts share words, though not the words. Common ones can be guessed; and
              who can send a recorded phone messages and also reads the database can find out whether a word
              occurs. Switched off, the key of the index is erased at once and the index after it.
            </Trans>
          </Text>
          {state === 'building' && (
            <Text span display="block" inherit mt={4}>
              <Plural value={indexed} one="Being read: # text so far" other="Being read: # texts so far" />
            </Text>
          )}
          {state === 'ready' && (
            <Text span display="block" inherit mt={4}>
              <Plural value={indexed} one="# text can be searched" other="# texts can be searched" />
            </Text>
          )}
          {state === 'erasing' && (
            <Text span display="block" inherit mt={4}>
              <Trans>The index is being erased.</Trans>
            </Text>
          )}
        </>
      }
    />
  )
}
