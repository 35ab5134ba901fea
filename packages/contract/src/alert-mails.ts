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
    'This is the test that you requested. Alerts will be sent to this address.',
    'Este é o teste solicitado. Os alertas serão enviados a este endereço.',
  ),
  more: phrase('And {count} more: {link}', 'E mais {count}: {link}'),
  why: phrase(
    'You receive this because you subscribed to email alerts. It contains no names, numbers or content; the portal shows them to permitted users.',
    'Você recebe esta mensagem porque assinou os alertas por e-mail. Ela não contém nomes, números nem conteúdo; o portal os mostra a usuários autorizados.',
  ),
  change: phrase('Change or end it: {link}', 'Alterar ou encerrar: {link}'),
  code: phrase(
    'Enter this code in the portal within an hour to confirm this address: {code}',
    'Informe este código no portal em até uma hora para confirmar este endereço: {code}',
  ),
  code_unasked: phrase(
    'If this was not you, ignore this email: no others will follow.',
    'Se não foi você, ignore este e-mail: nenhum outro será enviado.',
  ),
} as const satisfies Readonly<Record<string, Phrase>>

/** Severities and kinds of alerts in mails. A test of the portal checks that both use the same terms. */
export const MAILED_SEVERITIES: Readonly<Record<AlertSeverity, Phrase>> = {
  Low: phrase('Low', 'Baixa'),
  Medium: phrase('Medium', 'Média'),
  High: phrase('High', 'Alta'),
}
export const MAILED_TYPES: Readonly<Record<AlertType, Phrase>> = {
  AccountAlert: phrase('Account', 'Conta'),
  AndroidAlert: phrase('Android', 'Android'),
  DeviceAlert: phrase('Device', 'Dispositivo'),
  DeviceUserAlert: phrase('Device user', 'Usuário de dispositivo'),
  LambdaAlert: phrase('Server', 'Servidor'),
  MigrationAlert: phrase('Migration', 'Migração'),
  Notification: phrase('Notice', 'Aviso'),
  PayloadAlert: phrase('Recording', 'Gravação'),
  PortalUserAlert: phrase('Portal user', 'Usuário do portal'),
  TransferAlert: phrase('Transfer', 'Transferência'),
}
