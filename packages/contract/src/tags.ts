import * as z from 'zod/mini'
import { AccessImpact, ESCALATE, stored, verdict } from './access.ts'
import { ADMIN_ACCOUNT, del, endpoints, get, getPage, pageQuery, post, put } from './endpoint.ts'
import { Count, GroupReference, name, queryBoolean, TagKey, TagValue, uniqueList } from './scalars.ts'

/** Maximum values of a tag definition. */
export const TAG_VALUES_LIMIT = 500

/** At least one character, because an empty value means none. */
const TagDefault = TagValue.check(z.minLength(1))

/** Body of a definition; the path contains its key. */
export const TagInput = z.strictObject({
  /** Null: any value. Empty: none (spec section 5). */
  tag_values: z.nullable(uniqueList(TagValue, 0, TAG_VALUES_LIMIT)),
  is_required: z.boolean(),
  /** Null: no default. An empty text is invalid. */
  default_value: z.nullable(TagDefault),
})
export type TagInput = z.output<typeof TagInput>
export const TagDefinition = z.strictObject({ tag_key: TagKey, ...TagInput.def.shape })
export type TagDefinition = z.output<typeof TagDefinition>

export const StoredTag = z.strictObject({
  ...TagDefinition.def.shape,
  /** Groups that carry the tag. */
  groups: Count,
  ...stored,
})
export type StoredTag = z.output<typeof StoredTag>

/** A group that violates a definition, and its correction by `force_update`. */
export const BrokenGroup = z.strictObject({
  group_reference: GroupReference,
  problem: z.enum(['missing', 'value']),
  /** The value that is not allowed. */
  value: z.nullable(z.string()),
  /** Null: the tag is removed. */
  becomes: z.nullable(z.string()),
})
export type BrokenGroup = z.output<typeof BrokenGroup>

/** Bytes of a tag with the maximum of values, each of maximum length. */
const TAG_BODY_LIMIT = 512 * 1024

export const tagEndpoints = endpoints({
  listTags: {
    ...get(ADMIN_ACCOUNT, 'tags'),
    action: 'tags:list',
    support: true,
    summary: 'List the tag definitions of the client',
    query: { ...pageQuery, search: z.optional(name(1, 255)) },
    response: getPage(StoredTag),
  },
  readTag: {
    ...get(ADMIN_ACCOUNT, 'tags/{tag_key}'),
    action: 'tags:read',
    support: true,
    summary: 'Show a tag definition',
    response: StoredTag,
    problems: ['not_found'],
  },
  saveTag: {
    ...put(ADMIN_ACCOUNT, 'tags/{tag_key}'),
    action: 'tags:update',
    support: true,
    powers: [ESCALATE],
    summary: 'Create or replace a tag definition; `force_update` corrects invalid groups',
    query: { force_update: z.optional(queryBoolean()), confirm_lockout: z.optional(queryBoolean()) },
    body: TagInput,
    bodyLimit: TAG_BODY_LIMIT,
    response: StoredTag,
    problems: ['already_exists', 'changed_meanwhile', 'breaks_groups', 'locks_out', 'escalation'],
  },
  reviewTag: {
    ...post(ADMIN_ACCOUNT, 'tags/{tag_key}/review'),
    action: 'tags:review',
    support: true,
    summary: 'Preview the impact of a tag definition on groups and roles',
    body: TagInput,
    bodyLimit: TAG_BODY_LIMIT,
    response: z.strictObject({
      ...verdict,
      /** The first hundred. */
      broken_groups: z.array(BrokenGroup),
      broken_count: Count,
      impact: AccessImpact,
    }),
  },
  deleteTag: {
    ...del(ADMIN_ACCOUNT, 'tags/{tag_key}'),
    action: 'tags:delete',
    powers: [ESCALATE],
    summary: 'Delete a tag definition; groups keep their tags',
    response: z.strictObject({}),
    problems: ['not_found', 'already_exists', 'changed_meanwhile', 'escalation'],
  },
})
