/** The mail server of `SMTP_URL`. */
export interface SmtpServer {
  host: string
  port: number
  /** Encrypted from the first byte, after STARTTLS, or not at all. */
  tls: 'at_once' | 'starttls' | 'never'
  user: string | undefined
  password: string | undefined
}

/** Parses `smtps://user:password@host:port` or `smtp://…`; undefined for other texts. */
export function readSmtp(value: string): SmtpServer | undefined {
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(value)
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || hostname === '' || hash !== '') return undefined
  if (pathname !== '' && pathname !== '/') return undefined
  const [first, ...others] = searchParams
  const isOpen = first?.[0] === 'tls' && first[1] === 'never'
  // An ignored setting would look effective; a sign-in needs encryption.
  if (others.length > 0 || (first && !isOpen)) return undefined
  if (isOpen && (protocol === 'smtps:' || username !== '')) return undefined
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (protocol === 'smtps:' ? 465 : 587) : Number(port),
    tls: protocol === 'smtps:' ? 'at_once' : isOpen ? 'never' : 'starttls',
    user: username === '' ? undefined : decodeURIComponent(username),
    password: password === '' ? undefined : decodeURIComponent(password),
  }
}
