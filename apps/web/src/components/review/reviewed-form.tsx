import { Trans, useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { Confirm } from '../../ui/dialog.tsx'
import { FormDrawer } from '../../ui/form/form-drawer.tsx'
import { type FormOptions, useForm } from '../../ui/form/use-form.ts'
import { ImpactView } from './impact.tsx'
import { isForbidden, movesRights, type Review, useReview } from './use-review.ts'

/**
 * A form whose values are previewed before saving. A required confirmation is shown first; the second save confirms.
 * @returns the form, with `found`: the current preview, if any
 */
export function useReviewedForm<Values extends object, Saved, R extends Review>(
  options: Omit<FormOptions<Values, Saved>, 'save'> & {
    /** Undefined for users without the preview right: the server validates alone. */
    review: ((values: Values) => Promise<R>) | undefined
    wantsWord: (review: R) => boolean
    /** Saves the previewed values; `review` is null without a preview. */
    save: (values: Values, review: R | null, version: string | undefined) => Promise<Saved>
  },
) {
  const { review: ask, wantsWord, save } = options
  const review = useReview<Values, R>()
  const form = useForm<Values, Saved>({
    ...options,
    save: async (values, version) => {
      const validated = ask && (await review.validate(values, () => ask(values), wantsWord))
      return ask && validated === undefined ? undefined : save(values, validated ?? null, version)
    },
  })
  return { ...form, found: review.getReview(form.values), dropReview: review.clear }
}

/** A reviewed form in a drawer, with the preview above its fields. */
export function ReviewedDrawer<Values>(
  props: Omit<ComponentProps<typeof FormDrawer<Values>>, 'form'> & {
    form: ComponentProps<typeof FormDrawer<Values>>['form'] & { found: Review | undefined }
    /** Further content of the preview. */
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

/** A reviewed form on a page, with the preview in a dialog. */
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

/** Impact preview between form and save. Takes the focus when it appears. */
function ReviewNotice(props: { title: string; review: Review; children?: ReactNode }) {
  const notice = useRef<HTMLDivElement>(null)
  useEffect(() => {
    notice.current?.focus()
    notice.current?.scrollIntoView({ block: 'start' })
  }, [])
  return (
    <section ref={notice} tabIndex={-1} aria-label={props.title} style={{ display: 'grid', gap: 12 }}>
      {props.children}
      {movesRights(props.review) && <ImpactView impact={props.review.impact} />}
    </section>
  )
}

/** Further content of the question, with its title and button. */
interface QuestionTexts {
  title: string
  confirmLabel: string
  notice: ReactNode
}

/** Confirmation before saving rights that lock out, escalate or affect other roles. */
function ImpactConfirm(props: {
  review: Review
  subject?: string
  texts?: QuestionTexts | undefined
  onConfirm: () => void
  onClose: () => void
}) {
  const { t } = useLingui()
  const { review, subject, texts } = props
  return (
    <Confirm
      title={isForbidden(review) ? t`This cannot be saved` : (texts?.title ?? t`Save all the same?`)}
      confirmLabel={texts?.confirmLabel ?? t`Save anyway`}
      isDangerous={texts === undefined}
      isForbidden={isForbidden(review)}
      size="lg"
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    >
      <Stack>
        {texts?.notice}
        <ImpactView impact={review.impact} {...(subject === undefined ? {} : { subject })} />
      </Stack>
    </Confirm>
  )
}
