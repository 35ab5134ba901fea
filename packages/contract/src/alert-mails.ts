import type { AlertSeverity, AlertType } from './alerts.ts'
import { phrase, type Phrase } from './phrases.ts'

/** Texts of alert mails. They contain no names and no content. */
export const MAIL_TEXTS = {
  subject_one: phrase(
    'Custodia: an alert of severity {severity}',
    'Custodia: um alerta de gravidade {severity}',
  ),
  subject_many: phrase(
    'Custodia: {count} alerts, the highest severity is {severity}',
    'Custodia: {count} alertas, a gravidade mais alta é {severity}',
  ),
  subject_test: phrase('Custodia: a test', 'Custodia: um teste'),
  subject_code: phrase('Custodia: confirm this address', 'Custodia: confirme este endereço'),
  test: phrase(
    'This is the test that you asked for. Alerts will come to this address.',
    'Este é o teste que você pediu. Os alertas chegarão a este endereço.',
  ),
  more: phrase('And {count} more: {link}', 'E mais {count}: {link}'),
  why: phrase(
    'You get this because you subscribed to alerts by e-mail. It names no people, numbers or content; the portal shows them to whoever may see them.',
    'Você recebe isto porque assinou os alertas por e-mail. Ele não cita pessoas, números nem conteúdo; o portal os mostra a quem pode vê-los.',
  ),
  change: phrase('Change or end it: {link}', 'Alterar ou encerrar: {link}'),
  code: phrase(
    'With this code the person who gave this address confirms it in the portal, within an hour: {code}',
    'Com este código, quem informou este endereço o confirma no portal, dentro de uma hora: {code}',
  ),
  code_unasked: phrase(
    'If that was not you, do nothing: nothing more will come here.',
    'Se não foi você, não faça nada: nada mais chegará aqui.',
  ),
} as const satisfies Readonly<Record<string, Phrase>>

/** Severities and kinds of alerts in mails, in the words of the portal (a test of the portal holds them together). */
export const MAILED_SEVERITIES: Readonly<Record<AlertSeverity, Phrase>> = {
  Low: phrase('Low', 'Baixa'),
  Medium: phrase('Medium', 'Média'),
  High: phrase('High', 'Alta'),
}
export const MAILED_TYPES: Readonly<Record<AlertType, Phrase>> = {
  AccountAlert: phrase('Account', 'Conta'),
  AndroidAlert: phrase('Android', 'Android'),
  DeviceAlert: phrase('Device', 'Dispositivo'),
  DeviceUserAlert: phrase('Device user', 'Usuário do dispositivo'),
  LambdaAlert: phrase('Server', 'Servidor'),
  MigrationAlert: phrase('Migration', 'Migração'),
  Notification: phrase('Notice', 'Aviso'),
  PayloadAlert: phrase('Recording', 'Gravação'),
  PortalUserAlert: phrase('Portal user', 'Usuário do portal'),
  TransferAlert: phrase('Transfer', 'Transferência'),
}
