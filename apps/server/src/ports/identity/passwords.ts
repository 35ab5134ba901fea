import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto'

/** Cost by OWASP's password storage cheat sheet: 32 MiB, three passes. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
/** For a published password: guessing it need not be expensive. */
export const PUBLIC_COST = { N: 2 ** 10, r: 8, p: 1 }
const LENGTH = 32

/** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** A hash that no password matches: checking it takes as long as checking a real one. */
const UNKNOWN_PERSON = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${randomBytes(LENGTH).toString('base64url')}`

/** Whether the password is right. Takes the same time for unknown people (`undefined`). */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', expected = ''] = (hash ?? UNKNOWN_PERSON).split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost)
  const wanted = Buffer.from(expected, 'base64url')
  return wanted.length === derived.length && timingSafeEqual(wanted, derived)
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    // NFKC: the same characters from another keyboard are the same password (RFC 8265).
    scrypt(password.normalize('NFKC'), salt, LENGTH, { ...cost, maxmem: 2 ** 27 }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
}
