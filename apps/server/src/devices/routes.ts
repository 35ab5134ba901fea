import { type Phrase, TERMS_VERSION } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { readKek } from '../device-records/store.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { deviceIdentityRoutes, type FindParty, makeChallenge, readRoots } from './attestation.ts'
import { authenticate } from './authenticate.ts'

/** Terms that the device user reads. */
const TEXT: Phrase = {
  'en-GB':
    'This phone records business communications for your employer. Calls, messages, interviews, photos, videos and, where enabled, positions are ' +
    'sealed on the phone and sent to your employer’s records. Authorised staff may review them; every access is logged. Recordings are kept as long as ' +
    'your employer’s retention policy and the law require. Do not remove or disable the recording software. Questions go to your compliance department.',
  'pt-BR':
    'Este telefone grava comunicações de trabalho para o seu empregador. Chamadas, mensagens, entrevistas, fotos, vídeos e, quando ativadas, posições são ' +
    'cifrados no telefone e enviados aos registros do seu empregador. Pessoas autorizadas podem consultá-los; todo acesso é registrado. As gravações são ' +
    'mantidas pelo tempo que a política de retenção do seu empregador e a lei exigirem. Não remova nem desative o programa de gravação. Dúvidas: fale com o ' +
    'departamento de conformidade.',
}

/** The terms for device users, in both languages, valid since the first day of the terms' version. */
const DEVICE_POLICY = {
  valid_from: Date.parse(`${TERMS_VERSION}-01T00:00:00Z`) / 1000,
  termsAndConditions: `${TEXT['en-GB']}\n\n${TEXT['pt-BR']}`,
}

type Rows =
  | 'readAttestationChallenge'
  | 'authenticateDevice'
  | 'readDeviceKey'
  | 'readDevicePolicy'
  | 'readDeviceIdentity'
  | 'exchangeDeviceCode'

/** Device routes before recording. */
export function deviceRoutes(ctx: AppContext, findParty: FindParty): Handlers<Rows> {
  const roots = readRoots(ctx.config.attestationRoots)
  return {
    ...deviceIdentityRoutes(ctx, findParty),
    readAttestationChallenge: ({ now }) => makeChallenge(ctx.keys, now),
    authenticateDevice: (context, { body }) => authenticate(ctx, { roots, findParty }, context, body),
    readDeviceKey: async (context) => {
      const { client } = context.caller
      const key = await context.read(readKek)
      if (!key) throw new Problem('not_found', { detail: 'the client has no device key' })
      return { key_id: key.key_id, kek: key.public_key, client }
    },
    readDevicePolicy: async () => DEVICE_POLICY,
  }
}
