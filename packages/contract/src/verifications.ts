import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { NonNegative, text } from './scalars.ts'

export const verificationEndpoints = endpoints({
  verify: {
    method: 'POST',
    portal: 'internal',
    path: 'verify',
    authentication: 'none',
    summary: 'Report a device’s verification message from the message gateway',
    body: z.strictObject({ phone_number: text(3, 255), verification_code: text(16, 64) }),
    response: z.strictObject({ is_verified: z.boolean(), verified_until: z.nullable(NonNegative) }),
    secrets: ['verification_code'],
  },
})
