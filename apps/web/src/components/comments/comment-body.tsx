import { Trans } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { MarkedText } from '../marked-text.tsx'
import classes from './comments.module.css'

/** The text of a comment as plain text. */
export const CommentBody = ({ body }: { body: string | null }) =>
  body === null ? (
    <Text c="red" size="sm">
      <Trans>What was stored is damaged and cannot be read. The account’s security alerts say so, too.</Trans>
    </Text>
  ) : (
    <p className={classes.body} dir="auto">
      <MarkedText text={body} />
    </p>
  )
