import { asked, did, type LogSentence } from './log-sentence.ts'

/** What the log says of phones. */
export const PHONE_SENTENCES = {
  // Of the server itself.
  inactivity: did(
    'was deactivated after {days} days of silence',
    'foi desativado após {days} dias de silêncio',
  ),
  'GET challenge': asked('asked for a challenge', 'pediu um desafio'),
  'POST authenticate': did('proved who it is', 'provou quem é'),
  'GET key': asked('fetched the key for sealing', 'buscou a chave para cifrar'),
  'GET policy': asked('fetched the policy', 'buscou a política'),
  'GET commands': asked('asked what it is to do', 'perguntou o que deve fazer'),
  'PUT commands/{command_reference}': did(
    'reported on the command {command_reference}: {state}',
    'informou sobre o comando {command_reference}: {state}',
  ),
  'POST logs': asked('handed over what it logs', 'entregou seus registros internos'),
  'POST telemetry': asked('handed over reports of itself', 'entregou relatórios de si'),
  'POST gps': asked('handed over where it was', 'entregou onde esteve'),
  'POST alerts': did('raised an alert: {subject}', 'disparou um alerta: {subject}'),
  'POST payloads': did('announced recordings', 'anunciou gravações'),
  'PUT uploads': did('handed over a recording', 'entregou uma gravação'),
  'POST payloads/status': asked(
    'asked what became of its recordings',
    'perguntou o que foi feito das suas gravações',
  ),
} as const satisfies Readonly<Record<string, LogSentence>>
