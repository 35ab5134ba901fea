import { lazy, Suspense, useEffect, useState } from 'react'
import { connectReasonQuestion, type ReasonQuestion as Question } from '../api/reasons.ts'

const ReasonQuestionDialog = lazy(() => import('../components/reason-question-dialog.tsx'))

/** Host of the reason dialog; loads with the first question. */
export function ReasonQuestion() {
  const [question, setQuestion] = useState<Question>()
  useEffect(() => connectReasonQuestion(setQuestion), [])
  if (question === undefined) return null
  return (
    <Suspense>
      <ReasonQuestionDialog
        choices={question.choices}
        answer={(reason) => {
          setQuestion(undefined)
          question.answer(reason)
        }}
      />
    </Suspense>
  )
}
