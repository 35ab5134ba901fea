import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { detailOf } from './services.ts'

/** Link to another message, labelled with the end of its reference. */
export const MessageLink = ({ reference }: { reference: string }) => (
  <Anchor
    underline="always"
    inherit
    style={{ whiteSpace: 'nowrap' }}
    title={reference}
    renderRoot={(props) => <Link {...props} {...detailOf('messages', reference)} />}
  >
    …{reference.slice(-8)}
  </Anchor>
)
