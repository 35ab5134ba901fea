import { canonical, type DestructionCertificate } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Stack, Text } from '@mantine/core'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { useMemo } from 'react'
import QrCode from '../../components/qr-code.tsx'

/** SHA-256 of the signed canonical JSON of a certificate. */
const digestOfCertificate = (certificate: DestructionCertificate['certificate']): string =>
  bytesToHex(sha256(new TextEncoder().encode(canonical(certificate))))

/** The digest of a certificate, and the QR code that opens the page to verify it. */
export default function CertificateDigest(props: { certificate: DestructionCertificate['certificate'] }) {
  const { t } = useLingui()
  const digest = useMemo(() => digestOfCertificate(props.certificate), [props.certificate])
  return (
    <Stack gap={4} w={200}>
      <QrCode text={`${location.origin}/verify#${digest}`} label={t`QR code of the digest`} size={200} />
      <Text size="xs" fw={600}>
        <Trans>Digest (SHA-256)</Trans>
      </Text>
      <Code style={{ overflowWrap: 'anywhere', fontSize: 10 }}>{digest}</Code>
    </Stack>
  )
}
