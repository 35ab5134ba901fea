import { hash } from 'node:crypto'
import type { Context } from './context.ts'
import { Problem } from './problem.ts'

/** Version of a record for `ETag` and `If-Match`: the same content has the same version. */
export const getVersion = (record: unknown): string =>
  hash('sha256', JSON.stringify(record), 'hex').slice(0, 16)

/** Sends the version of the response as ETag, where it has one (RFC 9110, section 8.8.3). */
export function sendVersion({ reply }: Pick<Context, 'reply'>, answer: unknown): void {
  if (typeof answer !== 'object' || answer === null) return
  const version = 'version' in answer ? answer.version : 'comment_version' in answer && answer.comment_version
  if (typeof version === 'string' || typeof version === 'number') void reply.header('etag', `"${version}"`)
}

/**
 * Checks a save against the version that the caller saw: `If-Match` names it, `If-None-Match: *` creates (RFC
 * 9110, section 13). Without either the save is unconditional. Problems: changed_meanwhile, already_exists.
 * @param version the current one; undefined when there is none
 */
export function assertUnchanged(context: Context, version: string | undefined): void {
  const { 'if-match': match, 'if-none-match': none } = context.request.headers
  if (none?.trim() === '*' && version !== undefined) throw new Problem('already_exists')
  if (match === undefined) return
  const wanted = match.split(',').map((tag) => tag.trim())
  const holds = version !== undefined && (wanted.includes('*') || wanted.includes(`"${version}"`))
  if (!holds) throw new Problem('changed_meanwhile')
}
