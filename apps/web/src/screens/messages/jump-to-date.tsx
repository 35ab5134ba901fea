import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'

/** Jumps to a day: typed or chosen, then Enter or the button. */
export function JumpToDate({ at, onJump }: { at: string | undefined; onJump: (day: string) => void }) {
  const { t } = useLingui()
  const [day, setDay] = useState(at ?? '')
  return (
    <Group
      component="form"
      gap={6}
      wrap="nowrap"
      onSubmit={(event) => {
        event.preventDefault()
        if (day !== '') onJump(day)
      }}
    >
      <TextInput
        type="date"
        size="xs"
        aria-label={t`Date`}
        value={day}
        onChange={(event) => setDay(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={day === ''}>
        <Trans>Go to date</Trans>
      </Button>
    </Group>
  )
}
