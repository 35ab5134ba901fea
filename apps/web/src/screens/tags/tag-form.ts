import type { StoredTag, TagInput } from '@custodia/contract'

/** Form state of a tag definition. */
export interface TagDraft {
  tag_key: string
  values: 'any' | 'listed' | 'none'
  listed: string[]
  is_required: boolean
  /** Empty: no default. */
  default_value: string
}

export const NEW_TAG: TagDraft = {
  tag_key: '',
  values: 'any',
  listed: [],
  is_required: false,
  default_value: '',
}

export const draftOfTag = (tag: StoredTag): TagDraft => ({
  tag_key: tag.tag_key,
  values: tag.tag_values === null ? 'any' : tag.tag_values.length === 0 ? 'none' : 'listed',
  listed: tag.tag_values ?? [],
  is_required: tag.is_required,
  default_value: tag.default_value ?? '',
})

/** API input: null allows any value, an empty list none (spec section 5), and so no default. */
export const tagInput = (draft: TagDraft): TagInput => ({
  tag_values: draft.values === 'any' ? null : draft.values === 'none' ? [] : draft.listed,
  is_required: draft.is_required,
  default_value: draft.values === 'none' || draft.default_value === '' ? null : draft.default_value,
})
