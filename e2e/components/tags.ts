import type { Answer, Api } from '../../packages/contract/src/index.ts'
import type { Wire } from './wire.ts'

type Tag = Answer<Api['readTag']>

/** The tag that the forms edit. */
export const TAG: Tag = {
  tag_key: 'region',
  tag_values: null,
  is_required: false,
  default_value: 'North',
  groups: 2,
  client: 'acme',
  version: '1',
  updated_at: 1_790_000_000,
  updated_by: 'bob',
}

/** Another tag, without default and groups, that was never changed. */
export const tag = (tag_key: string, more: Partial<Tag> = {}): Tag => ({
  ...TAG,
  default_value: null,
  groups: 0,
  updated_at: null,
  updated_by: null,
  tag_key,
  ...more,
})

/** Pages like the server: by key, with the total on request, which stops at `most`. */
export function serveTags(wire: Wire, tags: readonly Tag[], most = Infinity): void {
  wire.answers.listTags = ({ query }) => {
    const found = tags.filter(({ tag_key }) => tag_key.includes(query.get('search') ?? ''))
    if (query.get('type') === 'total')
      return found.length > most ? { total: most, is_capped: true } : { total: found.length }
    const from = found.findIndex(({ tag_key }) => tag_key === query.get('last_key')) + 1
    const data = found.slice(from, from + Number(query.get('limit')))
    const last = data.at(-1)
    return {
      count: data.length,
      data,
      ...(last && from + data.length < found.length ? { last_key: last.tag_key } : {}),
    }
  }
}
/** So many tags in order. */
export const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => tag(`tag ${String(index + 1).padStart(3, '0')}`))

export const NO_IMPACT = { locks_out: false, escalations: [], may_escalate: false, roles: [] }

/** A preview without consequences. */
export const NO_BROKEN_GROUPS: Answer<Api['reviewTag']> = {
  problems: [],
  warnings: [],
  broken_count: 0,
  broken_groups: [],
  impact: NO_IMPACT,
}
