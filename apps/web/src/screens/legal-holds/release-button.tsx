import type { LegalHold } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { noticeDoneOrProposed, holdsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visible } from '../../ui/visible.ts'
import { heldPerson } from './hold.tsx'
import { ReasonDialog } from '../../components/reason-dialog.tsx'

/** Grace period after a release, in seconds. */
const GRACE = 7 * 86_400

/** Releases a hold, for permitted users: asks for the reason and explains the effect. */
export function ReleaseButton({ hold }: { hold: LegalHold }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const now = useNow()
  if (!useMay()('account.legal_holds:delete')) return null
  const { target, target_type } = hold
  const who = visible(heldPerson(hold))
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
          title={t`Release the legal hold of ${who}?`}
          description={t`3 to 500 characters. Shown in the hold’s history, never logged.`}
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
            noticeDoneOrProposed(answer, t`Legal hold of ${who} released`)
          }}
          onClose={() => setAsking(false)}
        >
          <Stack gap="xs">
            <Text size="sm">
              <Trans>Next step:</Trans>
            </Text>
            <List size="sm" spacing={4}>
              <List.Item>
                <Trans>
                  The hold stays in force for seven days, until <Time at={now + GRACE} />.
                </Trans>
              </List.Item>
              <List.Item>
                <Trans>Afterwards retention deletes due recordings, unless another hold applies.</Trans>
              </List.Item>
              <List.Item>
                <Trans>The audit log keeps the pause with your name and reason.</Trans>
              </List.Item>
            </List>
          </Stack>
        </ReasonDialog>
      )}
    </>
  )
}
