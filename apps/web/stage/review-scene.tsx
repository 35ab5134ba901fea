import { useState } from 'react'
import { api } from '../src/api/api.ts'
import { ReviewQuestion, useReviewedForm } from '../src/components/review/reviewed-form.tsx'
import { movesRights } from '../src/components/review/use-review.ts'

const params = { tag_key: 'region' }
const bodyOf = (default_value: string) => ({ tag_values: null, is_required: false, default_value })

/** A page form with a field, a button, and the review before the save. */
export function ReviewScene() {
  const [saved, setSaved] = useState('')
  const { element, values, set, submit, failure, found, dropReview } = useReviewedForm({
    initial: { preset: '' },
    review: ({ preset }: { preset: string }) => api.reviewTag({ params, body: bodyOf(preset), query: {} }),
    wantsWord: movesRights,
    save: ({ preset }, review) => {
      const query = review?.impact.locks_out ? { confirm_lockout: true as const } : {}
      return api.saveTag({ params, body: bodyOf(preset), query }, { if_match: '1' })
    },
    onSaved: ({ version }) => setSaved(version),
  })
  return (
    <form
      ref={element}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <input
        aria-label="Preset"
        value={values.preset}
        onChange={(event) => set({ preset: event.currentTarget.value })}
      />
      <button type="submit">Save</button>
      {saved !== '' && <output>version {saved}</output>}
      {failure !== undefined && <p role="alert">{failure}</p>}
      <ReviewQuestion form={{ found, dropReview, submit }} subject="Reviewer" />
    </form>
  )
}
