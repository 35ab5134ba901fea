import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { verify } from './verify.ts'

/** Route of the message gateway. */
export const verificationRoutes = (ctx: AppContext): Handlers<'verify'> => ({
  verify: (context, { body }) => verify(ctx, context, body),
})
