import { type Enrolment, isUsable, type NewEnrolment } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Code, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { readAgain } from '../../api/after-change.ts'
import { useMay } from '../../api/use-profile.ts'
import { personName } from '../../components/names.tsx'
import QrCode from '../../components/qr-code.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { EnrolledDevice, RevokeButton } from './enrolled-devices.tsx'
import { enrolmentQuery, EnrolmentStateBadge } from './enrolment.tsx'
import classes from './enrolment-sheet.module.css'

/** Poll interval for the enrolled device, in milliseconds. */
const ASK_EVERY = 2000

/** A new enrolment: its code and text, and then its enrolled device. */
export function NewEnrolmentView({ enrolment, onClose }: { enrolment: NewEnrolment; onClose: () => void }) {
  const { t } = useLingui()
  const { text, expires_at } = enrolment
  const clipboard = useClipboard({ timeout: 1500 })
  const present = useAwaited(enrolment)
  const isOpen = isUsable(present)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <QrCode text={text} label={t`Enrolment QR code`} size={260} />
        <Stack gap="sm">
          <Text fw={600}>
            <Trans>Shown once: print, copy or scan it now.</Trans>
          </Text>
          <Text size="sm">
            <Trans>
              Valid until <Time at={expires_at} />
            </Trans>
          </Text>
          <Code block data-enrolment style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {text}
          </Code>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={15} />}
              onClick={() => clipboard.copy(text)}
            >
              {clipboard.copied ? <Trans>Copied</Trans> : <Trans>Copy text</Trans>}
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={15} />}
              onClick={() => window.print()}
            >
              <Trans>Print</Trans>
            </Button>
          </Group>
        </Stack>
      </SimpleGrid>
      <Progress enrolment={present} />
      <Group justify="flex-end" gap="xs">
        {isOpen && <RevokeButton enrolment={present} />}
        <Button onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
      <EnrolmentSheet enrolment={enrolment} />
    </Stack>
  )
}

/** The current state of the enrolment. An enrolled device refetches the fleet lists. */
function useAwaited({ text: _text, ...made }: NewEnrolment): Enrolment {
  const may = useMay()
  const { data = made } = useQuery({
    ...enrolmentQuery(made.enrolment_reference),
    enabled: may('devices.enrolments:read'),
    refetchInterval: ({ state }) => (state.data === undefined || isUsable(state.data) ? ASK_EVERY : false),
  })
  const { uses } = data
  useEffect(() => {
    if (uses === 0) return
    for (const call of ['listDevicesOfUser', 'readDeviceUser', 'listDevices', 'listEnrolments'] as const)
      readAgain(call)
  }, [uses])
  return data
}

function Progress({ enrolment }: { enrolment: Enrolment }) {
  const { devices, uses } = enrolment
  const [newest] = devices
  return (
    <Group gap="sm" aria-live="polite" data-progress>
      {newest ? (
        <>
          <Icon name="check-circle" />
          <Text>
            {uses > 1 && (
              <>
                <Plural value={uses} one="# phone enrolled" other="# phones enrolled" />
                {': '}
              </>
            )}
            <EnrolledDevice device={newest} />
          </Text>
        </>
      ) : isUsable(enrolment) ? (
        <>
          <Loader size="xs" />
          <Text>
            <Trans>Waiting for the phone …</Trans>
          </Text>
        </>
      ) : (
        <EnrolmentStateBadge enrolment={enrolment} />
      )}
    </Group>
  )
}

/** Print-only sheet for the person who receives the phone. */
export function EnrolmentSheet({ enrolment }: { enrolment: NewEnrolment }) {
  const { t } = useLingui()
  const { text, expires_at, device_user_reference, enrolment_reference, description, group } = enrolment
  const whose = personName(enrolment) || device_user_reference
  return createPortal(
    <div className={classes.sheet} aria-hidden>
      <h1>{whose === null ? <Trans>Enrol your phone</Trans> : <Trans>Phone for {visible(whose)}</Trans>}</h1>
      {/* Two people may have the same name. */}
      {device_user_reference !== null && (
        <p>{[device_user_reference, group ?? ''].filter(Boolean).map(visible).join(' · ')}</p>
      )}
      {description !== null && <p>{visible(description)}</p>}
      <QrCode text={text} label={t`Enrolment QR code`} size="9cm" />
      <ol>
        <li>
          <Trans>Switch the phone on and connect it to the network.</Trans>
        </li>
        <li>
          <Trans>Open the recorder app and choose to enrol.</Trans>
        </li>
        <li>
          <Trans>Scan the code above with its camera.</Trans>
        </li>
      </ol>
      <p>
        <Trans>
          Valid until <Time at={expires_at} />. Keep it confidential and destroy this sheet afterwards.
        </Trans>
      </p>
      <p className={classes.text}>{text}</p>
      <p className={classes.text}>{enrolment_reference}</p>
    </div>,
    document.body,
  )
}
