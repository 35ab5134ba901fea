import { type Phrase, phrase } from './phrases.ts'

export interface Text {
  readonly subject: Phrase
  readonly message: Phrase
}

/** A subject and a message, each in both languages. */
export const text = (subject: string, subjectPt: string, message: string, messagePt: string): Text => ({
  subject: phrase(subject, subjectPt),
  message: phrase(message, messagePt),
})

/** A device that may not record some services. */
const gap = (message: string, messagePt: string): Text => text('Capture gap', 'Lacuna de captura', message, messagePt)

/** Texts of alerts about devices and the people who carry them. */
export const DEVICE_ALERT_TEXTS = {
  device_ahead: text(
    'A device reports future times',
    'Um dispositivo informa horários futuros',
    'Device {device_reference} announced a recording more than a day ahead. The reported time is kept; lists use the arrival time.',
    'O dispositivo {device_reference} anunciou uma gravação com mais de um dia de adiantamento. O horário informado é mantido; as listas usam o horário de chegada.',
  ),
  device_waits_other_key: text(
    'A device claims another identity',
    'Um dispositivo alega outra identidade',
    'Device {device_reference} has the serial number or IMEI of {other} and another key. It awaits confirmation as a separate device; {other} is unchanged.',
    'O dispositivo {device_reference} tem o número de série ou IMEI de {other} e outra chave. Ele aguarda confirmação como dispositivo separado; {other} não muda.',
  ),
  device_waits_unconfirmed: text(
    'A new device awaits confirmation',
    'Um novo dispositivo aguarda confirmação',
    'Device {device_reference} is new, and no code names its holder. Its recordings are kept separately until an administrator confirms it.',
    'O dispositivo {device_reference} é novo e nenhum código indica o portador. As gravações ficam separadas até a confirmação de um administrador.',
  ),
  device_waits_holder: text(
    'A device requests another holder',
    'Um dispositivo solicita outro portador',
    'Device {device_reference} reports {device_user_reference} as its new holder. New recordings wait until an administrator confirms it.',
    'O dispositivo {device_reference} informa {device_user_reference} como novo portador. As novas gravações aguardam a confirmação de um administrador.',
  ),
  device_waits_beyond_expected: text(
    'More devices than expected',
    'Mais dispositivos que o previsto',
    'Device {device_reference} reports {device_user_reference} as its holder, who already has all expected phones. New recordings wait until an administrator confirms it.',
    'O dispositivo {device_reference} informa {device_user_reference} como portador, que já tem todos os telefones previstos. As novas gravações aguardam a confirmação de um administrador.',
  ),
  device_hardware_of_another: text(
    'A device reports another device’s number',
    'Um dispositivo informa o número de outro',
    'Device {device_reference}, identified by its key, reports the serial number or IMEI of {other}. Its known values are kept.',
    'O dispositivo {device_reference}, identificado por sua chave, informa o número de série ou IMEI de {other}. Os valores conhecidos são mantidos.',
  ),
  device_email_unknown: text(
    'A device reports an unknown address',
    'Um dispositivo informa um endereço desconhecido',
    'Device {device_reference} reports an address that no device user has. Its holder is unchanged.',
    'O dispositivo {device_reference} informa um endereço que nenhum usuário de dispositivo tem. O portador não muda.',
  ),
  number_twice: text(
    'Two devices report the same number',
    'Dois dispositivos informam o mesmo número',
    'Device {device_reference} reports the number {phone_number} of another device. The other device keeps it until one stops reporting it or a text message verifies it.',
    'O dispositivo {device_reference} informa o número {phone_number} de outro dispositivo. O outro o mantém até que um deles deixe de informá-lo ou uma mensagem de texto o verifique.',
  ),
  blocked_device_seen: text(
    'A blocked device tried to authenticate',
    'Um dispositivo bloqueado tentou se autenticar',
    'Device {device_reference} is reported lost or stolen and tried to authenticate. It was refused.',
    'O dispositivo {device_reference}, perdido ou roubado, tentou se autenticar. Foi recusado.',
  ),
  enrolment_tried_used: text(
    'A used enrolment was tried again',
    'Novo uso de cadastro já utilizado',
    'Another phone tried the used enrolment {enrolment_reference} of {whose}: a copy of it exists. It was refused.',
    'Outro telefone tentou usar o cadastro {enrolment_reference} de {whose}, já utilizado: há uma cópia dele. Foi recusado.',
  ),
  enrolment_tried_revoked: text(
    'A revoked enrolment was tried',
    'Uso de cadastro revogado',
    'A phone tried the revoked enrolment {enrolment_reference} of {whose}. It was refused.',
    'Um telefone tentou usar o cadastro {enrolment_reference} de {whose}, revogado. Foi recusado.',
  ),
  enrolment_tried_expired: text(
    'An expired enrolment was tried',
    'Uso de cadastro vencido',
    'A phone tried the expired enrolment {enrolment_reference} of {whose}. It was refused.',
    'Um telefone tentou usar o cadastro {enrolment_reference} de {whose}, vencido. Foi recusado.',
  ),
  device_reports: text('{subject}', '{subject}', 'Device {device_reference} reports: {message}', 'O dispositivo {device_reference} informa: {message}'),
  user_has_fewer: text(
    'A device user has fewer phones than expected',
    'Um usuário de dispositivo tem menos telefones que o previsto',
    'Activated phones of the device user {device_user_reference}: {actual}; expected: {expected}.',
    'Telefones ativados do usuário de dispositivo {device_user_reference}: {actual}; esperados: {expected}.',
  ),
  user_has_more: text(
    'A device user has more phones than expected',
    'Um usuário de dispositivo tem mais telefones que o previsto',
    'Activated phones of the device user {device_user_reference}: {actual}; expected: {expected}.',
    'Telefones ativados do usuário de dispositivo {device_user_reference}: {actual}; esperados: {expected}.',
  ),
  offboarded_records: text(
    'An offboarded device user is still recorded',
    'Um usuário de dispositivo desligado ainda é gravado',
    'Phones of the device user {device_user_reference} recorded after offboarding. The uploads are kept.',
    'Telefones do usuário de dispositivo {device_user_reference} gravaram após o desligamento. Os envios são mantidos.',
  ),
  offboarded_queue: text(
    'Phones of an offboarded device user still hold recordings',
    'Telefones de usuário de dispositivo desligado ainda contêm gravações',
    'The device user {device_user_reference} was offboarded. Recordings that their phones still hold: {waiting}. Phones not seen since: {unseen}. Uploads are kept.',
    'O usuário de dispositivo {device_user_reference} foi desligado. Gravações ainda nos telefones: {waiting}. Telefones não vistos desde então: {unseen}. Os envios são mantidos.',
  ),
  capture_no_device: gap(
    'The device user {device_user_reference} has no phone. Not recorded: {services}.',
    'O usuário de dispositivo {device_user_reference} não tem telefone. Não gravados: {services}.',
  ),
  capture_unlicensed: gap(
    'Without a licence, device {device_reference} of {device_user_reference} does not record: {services}.',
    'Sem licença, o dispositivo {device_reference} de {device_user_reference} não grava: {services}.',
  ),
  capture_silent: gap(
    'Device {device_reference} of {device_user_reference} is silent and may not record: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} está sem contato e pode não gravar: {services}.',
  ),
  capture_service_off: gap(
    'Device {device_reference} of {device_user_reference} reports as switched off: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} informa como desativados: {services}.',
  ),
  capture_not_allowed: gap(
    'Device {device_reference} of {device_user_reference} reports missing permissions for: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} informa falta de permissão para: {services}.',
  ),
  capture_no_device_admin: gap(
    'The app is not a device administrator on {device_reference} of {device_user_reference} and can be stopped at any time: {services}.',
    'O aplicativo não é administrador em {device_reference} de {device_user_reference} e pode ser parado a qualquer momento: {services}.',
  ),
  capture_no_sim: gap(
    'Device {device_reference} of {device_user_reference} has no SIM. Not recorded: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} não tem SIM. Não gravados: {services}.',
  ),
  capture_no_uploads: gap(
    'Device {device_reference} of {device_user_reference} is online but uploads nothing; it may have stopped recording: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} está online, mas nada envia; pode ter parado de gravar: {services}.',
  ),
  device_silent: text(
    'A device is silent',
    'Um dispositivo está sem contato',
    'Device {device_reference} was last seen {unseen} hours ago. It may not be recording.',
    'O dispositivo {device_reference} foi visto pela última vez há {unseen} horas. Pode não estar gravando.',
  ),
  device_no_uploads: text(
    'A device is online without recordings',
    'Um dispositivo está online sem gravações',
    'Device {device_reference} is online and has uploaded no recording for {quiet} hours; its usual interval is {usual} hours. It may have stopped recording.',
    'O dispositivo {device_reference} está online e não envia gravações há {quiet} horas; seu intervalo habitual é de {usual} horas. Pode ter parado de gravar.',
  ),
  device_late: text(
    'A device’s recordings are late',
    'As gravações de um dispositivo estão atrasadas',
    'Device {device_reference} announced recordings more than {days} days ago and has not uploaded them.',
    'O dispositivo {device_reference} anunciou gravações há mais de {days} dias e não as enviou.',
  ),
} as const satisfies Record<string, Text>
