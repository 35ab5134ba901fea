import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Button, Container, Group, SimpleGrid, Text, Title } from '@mantine/core'
import { EnterButton, PublicLayout } from '../../components/frame/public-layout.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useTitle } from '../../ui/use-title.ts'
import classes from './landing.module.css'
import recordingCardClasses from './recording-card.module.css'

/** Waveform heights: two alternating voices. */
const WAVE = Array.from({ length: 64 }, (_, index) => {
  const turn = Math.floor(index / 11) % 2
  const swell = Math.sin(((index % 11) / 11) * Math.PI)
  const grain = Math.abs(Math.sin(index * 12.9898) * 43_758.5453) % 1
  return { x: index * 6 + 2, half: 3 + swell * (14 + 24 * grain), caller: turn === 0 }
})

/** Illustration of a call in the archive, drawn with elements, so that it follows colour mode and language. */
function RecordingCard() {
  const { t } = useLingui()
  return (
    <figure className={recordingCardClasses.card} aria-label={t`A recorded call in the archive`}>
      <div className={recordingCardClasses.head}>
        <span className={recordingCardClasses.type}>
          <Icon name="phone" size={18} />
        </span>
        <div className={recordingCardClasses.parties}>
          <strong className={recordingCardClasses.names}>
            Marina Duarte <Icon name="arrow-right" size={14} />{' '}
            <span style={{ whiteSpace: 'nowrap' }}>+44 20 7946 0018</span>
          </strong>
          <span>
            <Trans>4 min 12 s · North desk</Trans>
          </span>
        </div>
        <Badge color="teal" leftSection={<Icon name="check" size={13} />}>
          <Trans context="state of a recording">Processed</Trans>
        </Badge>
      </div>
      <svg viewBox="0 0 388 96" className={recordingCardClasses.wave} aria-hidden="true" focusable="false">
        {WAVE.map(({ x, half, caller }) => (
          <line
            key={x}
            x1={x}
            x2={x}
            y1={48 - half}
            y2={48 + half}
            className={caller ? recordingCardClasses.caller : recordingCardClasses.called}
          />
        ))}
        <line x1="150" x2="150" y1="0" y2="96" className={recordingCardClasses.cursor} />
      </svg>
      <ul className={recordingCardClasses.trail}>
        <li>
          <Icon name="check" size={14} />
          <Trans>Sealed on the phone</Trans>
        </li>
        <li>
          <Icon name="check" size={14} />
          <Trans>Checksum verified on arrival</Trans>
        </li>
        <li>
          <Icon name="eye" size={14} />
          <Trans>Heard by one reviewer</Trans>
        </li>
      </ul>
    </figure>
  )
}

/** Landing page: product, audience and assurances. */
export function LandingScreen() {
  useTitle('Custodia')
  return (
    <PublicLayout>
      <Hero />
      <Journey />
      <Audiences />
      <Assurances />
    </PublicLayout>
  )
}

function Hero() {
  return (
    <section className={classes.hero}>
      <Container size="lg">
        <div className={classes.split}>
          <div>
            <Text className={classes.eyebrow}>
              <Trans>The open compliance archive for mobile communications</Trans>
            </Text>
            <Title order={1} tabIndex={-1} className={classes.claim}>
              <Trans>Mobile conversations, archived as they happened.</Trans>
            </Title>
            <Text className={classes.lead}>
              <Trans>
                Custodia receives calls, messages, interviews, photos and videos from your teams’ phones,
                sealed before they leave the device. Reviewers find the right one in seconds and can prove
                that it is unchanged.
              </Trans>
            </Text>
            <Group mt="lg" gap="sm">
              <EnterButton size="lg" />
              <Button size="lg" variant="default" component="a" href="#journey">
                <Trans>How it works</Trans>
              </Button>
            </Group>
          </div>
          <RecordingCard />
        </div>
      </Container>
    </section>
  )
}

function Journey() {
  const { t } = useLingui()
  return (
    <section className={classes.band} id="journey" aria-labelledby="journey-title">
      <Container size="lg">
        <Title order={2} id="journey-title" className={classes.heading}>
          <Trans>One recording, four steps, no gaps</Trans>
        </Title>
        <ol className={classes.steps}>
          <Step icon="microphone" title={t`Recorded`}>
            <Trans>
              The phone records while people work as usual. A weak network only delays the upload.
            </Trans>
          </Step>
          <Step icon="lock" title={t`Sealed`}>
            <Trans>
              It encrypts every recording with its own key and keeps a copy until the archive confirms.
            </Trans>
          </Step>
          <Step icon="shield-check" title={t`Verified`}>
            <Trans>
              The archive checks checksum, seal and content on arrival. It sets failures aside with the reason
              and never loses them.
            </Trans>
          </Step>
          <Step icon="play" title={t`Reviewed`}>
            <Trans>
              A reviewer listens in the browser. The audit log records each playback and download.
            </Trans>
          </Step>
        </ol>
      </Container>
    </section>
  )
}

function Step({ icon, title, children }: { icon: IconName; title: string; children: React.ReactNode }) {
  return (
    <li className={classes.step}>
      <span className={classes.disc}>
        <Icon name={icon} size={20} />
      </span>
      <Title order={3} mt="sm" mb={4}>
        {title}
      </Title>
      <Text c="dimmed">{children}</Text>
    </li>
  )
}

function Audiences() {
  const { t } = useLingui()
  return (
    <section className={classes.section} aria-labelledby="audiences-title">
      <Container size="lg">
        <Title order={2} id="audiences-title" className={classes.heading}>
          <Trans>For the people responsible</Trans>
        </Title>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
          <Audience icon="wave" title={t`Compliance reviewers`}>
            <Trans>
              Hundreds of items a day from the keyboard: waveform, both parties, speed, and the whole
              conversation.
            </Trans>
          </Audience>
          <Audience icon="device" title={t`Fleet administrators`}>
            <Trans>
              See on one page which phones record, which are silent, and which run an old version.
            </Trans>
          </Audience>
          <Audience icon="shield" title={t`Auditors`}>
            <Trans>Access by group and type, every request logged, and seals that anyone can check.</Trans>
          </Audience>
        </SimpleGrid>
      </Container>
    </section>
  )
}

function Audience({ icon, title, children }: { icon: IconName; title: string; children: React.ReactNode }) {
  return (
    <article className={classes.audience}>
      <Icon name={icon} size={26} />
      <Title order={3} mt="sm" mb={4}>
        {title}
      </Title>
      <Text c="dimmed">{children}</Text>
    </article>
  )
}

function Assurances() {
  return (
    <section className={classes.closing} aria-labelledby="assurances-title">
      <Container size="lg">
        <div className={classes.closingSplit}>
          <div>
            <Title order={2} id="assurances-title" className={classes.heading}>
              <Trans>Yours, from key to disk</Trans>
            </Title>
            <Text className={classes.closingText}>
              <Trans>
                Run it on your own machines, with your own storage, identity provider and keys. The source is
                open.
              </Trans>
            </Text>
          </div>
          <ul className={classes.checks}>
            <Check>
              <Trans>Recordings are never stored unencrypted</Trans>
            </Check>
            <Check>
              <Trans>One key per recording, bound to its owner</Trans>
            </Check>
            <Check>
              <Trans>Sign-in through your identity provider</Trans>
            </Check>
            <Check>
              <Trans>In English and Brazilian Portuguese</Trans>
            </Check>
          </ul>
        </div>
      </Container>
    </section>
  )
}

const Check = ({ children }: { children: React.ReactNode }) => (
  <li>
    <Icon name="check-circle" size={20} />
    <span>{children}</span>
  </li>
)
