import type { House } from '../../house.ts'
import type { Handlers } from '../../http/context.ts'
import { verify } from './verify.ts'

/** What the message gateway calls. */
export const verificationRoutes = (house: House): Handlers<'verify'> => ({
  verify: (context, { body }) => verify(house, context, body),
})
