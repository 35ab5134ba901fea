import type { LegalHold } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { holdsApi } from '../../api/holds-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visible } from '../../ui/visible.ts'
import { ReasonDialog } from '../reason-dialog.tsx'
import { noticeDoneOrProposed } from '../proposals/notice.ts'

/** Grace period after a release, in seconds. */
const GRACE = 7 * 86_400

/** Releases a hold, for permitted users: asks for the reason and explains the effect. */
export function ReleaseButton({ hold: { target, target_type } }: { hold: LegalHold }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const now = useNow()
  if (!useMay()('account.legal_holds:delete')) return null
  const who = visible(target)
  return (
    <>
      <Button
        variant="light"
        color="red"
        leftSection={<Icon name="lock" size={16} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Release</Trans>
      </Button>
      {isAsking && (
        <ReasonDialog
          title={t`Release the hold of ${who}?`}
          description={t`3 to 500 characters. It stands in the history of the hold and in no log.`}
          name="reason"
          limits={{ min: 3, max: 500 }}
          submitLabel={<Trans>Release</Trans>}
          isDangerous
          save={(reason) =>
            holdsApi.releaseLegalHold({
              params: { target_type, target },
              // A reason is one line.
              query: { reason: reason.replace(/\s+/g, ' ') },
            })
          }
          onSaved={(answer) => {
            setAsking(false)
            noticeDoneOrProposed(answer, t`The hold of ${who} is released`)
          }}
          onClose={() => setAsking(false)}
        >
          <Stack gap="xs">
            <Text size="sm">
              <Trans>What happens next:</Trans>
            </Text>
            <List size="sm" spacing={4}>
              <List.Item>
                <Trans>
                  For seven days, until <Time at={now + GRACE} />, nothing changes: it keeps as before.
                </Trans>
              </List.Item>
              <List.Item>
                <Trans>After that, retention deletes what is due, unless somebody else is held for it.</Trans>
              </List.Item>
              <List.Item>
                <Trans>The period stays on record, with your name and reason.</Trans>
              </List.Item>
            </List>
          </Stack>
        </ReasonDialog>
      )}
    </>
  )
}
