import { Trans, useLingui } from '@lingui/react/macro'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { type FormOptions, useForm } from '../../ui/form/use-form.ts'
import { ImpactConfirm, type QuestionTexts } from './impact-confirm.tsx'
import { ReviewNotice } from './review-notice.tsx'
import { isForbidden, type Review, useReview } from './use-review.ts'

/**
 * A form whose values are judged before they are saved. What wants the person's word is shown first, and saving again is that word.
 *
 * @returns the form, with `found`: the review on screen, if there is one
 */
export function useReviewedForm<Values extends object, Saved, R extends Review>(
  options: Omit<FormOptions<Values, Saved>, 'save'> & {
    /** Undefined for who may not ask: the server judges alone. */
    review: ((values: Values) => Promise<R>) | undefined
    wantsWord: (review: R) => boolean
    /** Saves what was judged; `review` is null when nobody asked. */
    save: (values: Values, review: R | null) => Promise<Saved>
  },
) {
  const { review: ask, wantsWord, save } = options
  const review = useReview<Values, R>()
  const form = useForm<Values, Saved>({
    ...options,
    save: async (values) => {
      const validated = ask && (await review.validate(values, () => ask(values), wantsWord))
      return ask && validated === undefined ? undefined : save(values, validated ?? null)
    },
  })
  return { ...form, found: review.reviewOf(form.values), dropReview: review.clear }
}

/** A form in a drawer, with the review of what is about to be saved above its fields. */
export function ReviewedDrawer<Values>(
  props: Omit<ComponentProps<typeof FormDrawer<Values>>, 'form'> & {
    form: ComponentProps<typeof FormDrawer<Values>>['form'] & { found: Review | undefined }
    /** What the review tells beside the rights that move. */
    notice?: ReactNode
  },
) {
  const { t } = useLingui()
  const { found } = props.form
  return (
    <FormDrawer
      {...props}
      isForbidden={found !== undefined && (props.isForbidden === true || isForbidden(found))}
      submitLabel={found && (props.submitLabel || <Trans>Save anyway</Trans>)}
    >
      {found !== undefined && (
        <ReviewNotice title={t`Before saving`} review={found}>
          {props.notice}
        </ReviewNotice>
      )}
      {props.children}
    </FormDrawer>
  )
}

/** The same for a form that is a page: a question over it. */
export function ReviewQuestion(props: {
  form: { found: Review | undefined; dropReview: () => void; submit: () => void }
  subject?: string
  texts?: QuestionTexts | undefined
}) {
  const { found, dropReview, submit } = props.form
  const [answered, setAnswered] = useState<Review>()
  if (found === undefined || found === answered) return null
  return (
    <ImpactConfirm
      review={found}
      {...(props.subject === undefined ? {} : { subject: props.subject })}
      texts={props.texts}
      onClose={dropReview}
      onConfirm={() => {
        setAnswered(found)
        submit()
      }}
    />
  )
}
