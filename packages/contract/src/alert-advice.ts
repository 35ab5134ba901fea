import { ALERT_TEXTS, type AlertTextCode, getIncidentKind } from './alert-texts.ts'
import { type Locale, phrase, type Phrase } from './phrases.ts'

type Kind<Code extends string> = Code extends `capture_${string}` ? 'capture' : Code extends `escalated_${string}` ? 'escalated' : Code

/** What to do about each kind of alert, in one sentence. */
const ALERT_ADVICE: Readonly<Record<Kind<AlertTextCode>, Phrase>> = {
  notification: phrase('Read the notice, then dismiss it.', 'Leia o aviso e dispense-o.'),
  payload_failed: phrase(
    'Open the recording and see why it failed; if its device still has it, request the upload again.',
    'Abra a gravação e veja o motivo da falha; se o dispositivo ainda a tiver, solicite novo envio.',
  ),
  payload_escalated: phrase(
    'Open the recording, review it and close the escalation with a result.',
    'Abra a gravação, revise-a e encerre a escalação com um resultado.',
  ),
  payload_altered: phrase(
    'Preserve the device and ask your security team to investigate who changed the data.',
    'Preserve o dispositivo e peça à equipe de segurança que investigue quem alterou os dados.',
  ),
  payload_infected: phrase(
    'Do not open copies of the recording, and have the device checked for malware.',
    'Não abra cópias da gravação e mande verificar o dispositivo quanto a malware.',
  ),
  mass_playing: phrase(
    'Ask the person for the reason, and check in the audit log what was played.',
    'Pergunte o motivo à pessoa e verifique no registro de auditoria o que foi reproduzido.',
  ),
  mass_downloading: phrase(
    'Ask the person for the reason, and check in the audit log what was downloaded.',
    'Pergunte o motivo à pessoa e verifique no registro de auditoria o que foi baixado.',
  ),
  mass_exporting: phrase(
    'Ask the person for the reason, and check in the audit log what was exported.',
    'Pergunte o motivo à pessoa e verifique no registro de auditoria o que foi exportado.',
  ),
  licenses_short: phrase(
    'Order more licences, or switch the service off on a device that does not need it.',
    'Contrate mais licenças ou desative o serviço em um dispositivo que não precise dele.',
  ),
  licenses_nearly_used: phrase('Order more licences before further devices are activated.', 'Contrate mais licenças antes de ativar outros dispositivos.'),
  licenses_used_up: phrase(
    'Order more licences, or deactivate devices that are no longer used.',
    'Contrate mais licenças ou desative dispositivos que não são mais usados.',
  ),
  proposal_waits: phrase('Open Approvals, then approve or reject the proposal.', 'Abra Aprovações e aprove ou rejeite a proposta.'),
  data_request_due: phrase('Open the request and answer it before its deadline.', 'Abra a solicitação e responda antes do prazo.'),
  destruction_waits: phrase('Review the list, remove exceptions and release the rest.', 'Revise a lista, remova as exceções e libere o restante.'),
  retention_waits: phrase(
    'Open the forecast on the retention page and resolve what the recordings wait for.',
    'Abra a previsão na página de retenção e resolva o que as gravações aguardam.',
  ),
  retention_behind: phrase('Ask your provider to check the retention job.', 'Peça ao provedor que verifique a tarefa de retenção.'),
  retention_restored: phrase(
    'Check the legal holds, place the missing ones again, then resume retention.',
    'Confira as retenções legais, aplique novamente as que faltam e retome a retenção.',
  ),
  destruction_unfinished: phrase(
    'Ask your provider to check the storage; the destruction is repeated until it completes.',
    'Peça ao provedor que verifique o armazenamento; a destruição é repetida até concluir.',
  ),
  transfer_failed: phrase(
    'Open the run, correct the named cause and send the failed items again.',
    'Abra a execução, corrija a causa indicada e reenvie os itens com falha.',
  ),
  transfer_host_key: phrase(
    'Ask the owner of the server for its new fingerprint, and pin it only if both are equal.',
    'Peça ao responsável pelo servidor a nova impressão digital e fixe-a somente se forem iguais.',
  ),
  transfer_late: phrase(
    'Check that the run delivered everything; if delays recur, ask your provider.',
    'Verifique se a execução entregou tudo; se os atrasos se repetirem, consulte o provedor.',
  ),
  transfer_role_narrowed: phrase(
    'Restore the rights of the role, or accept the smaller delivery by saving the transfer.',
    'Restaure os direitos da função ou aceite a entrega menor salvando a transferência.',
  ),
  transfer_unreconciled: phrase('Check that the target accepts files from the archive.', 'Verifique se o destino aceita arquivos enviados pela plataforma.'),
  transfer_key_expires: phrase(
    'Get a new OpenPGP key from the recipient and save it in the transfer.',
    'Obtenha do destinatário uma nova chave OpenPGP e salve-a na transferência.',
  ),
  mail_gave_up: phrase('Ask the person to correct the address under Email alerts.', 'Peça à pessoa que corrija o endereço em Alertas por e-mail.'),
  migration_failed: phrase('Open the results, correct the named rows and retry them.', 'Abra os resultados, corrija as linhas indicadas e repita-as.'),
  migration_quarantined: phrase(
    'Remove the infected file from the migration and upload a clean one.',
    'Remova o arquivo infectado da migração e envie um arquivo limpo.',
  ),
  webhook_gave_up: phrase('Repair the receiver, then send the failed deliveries again.', 'Corrija o receptor e reenvie as entregas com falha.'),
  processing_stalls: phrase('Check that the malware scanner and the workers run.', 'Verifique se o antivírus e os workers estão em execução.'),
  reference_reused: phrase(
    'Update the app on the device; if this recurs, replace the device.',
    'Atualize o aplicativo no dispositivo; se o problema se repetir, substitua o dispositivo.',
  ),
  data_damaged: phrase(
    'Run `custodia verify` and restore the named objects from a backup.',
    'Execute `custodia verify` e restaure os objetos indicados a partir de uma cópia de segurança.',
  ),
  archive_damaged: phrase(
    'Run `custodia verify` and restore what it names from a backup.',
    'Execute `custodia verify` e restaure o que ele indicar a partir de uma cópia de segurança.',
  ),
  sealed_log_contradicted: phrase(
    'Find the cause with `custodia verify`, then run `custodia sealed-log resolve`.',
    'Encontre a causa com `custodia verify` e execute `custodia sealed-log resolve`.',
  ),
  temporary_access_ends: phrase(
    'Set a later end under Access, People, if the person still needs it.',
    'Defina um término posterior em Acesso, Pessoas, se a pessoa ainda precisar dele.',
  ),
  recertification_due: phrase(
    'Decide about the remaining people under Access, Recertifications, then end it.',
    'Decida sobre as pessoas restantes em Acesso, Recertificações, e encerre-a.',
  ),
  checkpoint_refused: phrase('Check the address and the access of the recipient.', 'Verifique o endereço e o acesso do destinatário.'),
  archive_unverified: phrase('Remove the named cause and run `custodia verify`.', 'Elimine a causa indicada e execute `custodia verify`.'),
  job_failed: phrase('Find the cause in the worker log and remove it.', 'Encontre a causa no log do worker e elimine-a.'),
  backup_failed: phrase('Remove the named cause and make a backup now.', 'Elimine a causa indicada e faça uma cópia de segurança agora.'),
  space_low: phrase('Free space on the disk or enlarge it.', 'Libere espaço no disco ou aumente-o.'),
  identity_provider_changed: phrase(
    'If you did not expect the change, stop sign-ins and call your provider at once.',
    'Se a alteração não era esperada, suspenda os acessos e contate o provedor imediatamente.',
  ),
  claim_mapping_changed: phrase('Check under People that no person gained unexpected roles.', 'Verifique em Pessoas se ninguém recebeu funções inesperadas.'),
  identity_provider_change_seconded: phrase(
    'If the account can sign in, open Approvals and reject the proposal.',
    'Se a conta consegue entrar, abra Aprovações e rejeite a proposta.',
  ),
  identity_secret_changed: phrase(
    'If you did not expect the change, ask the named person and replace the secret.',
    'Se a alteração não era esperada, consulte a pessoa indicada e substitua o segredo.',
  ),
  support_requested: phrase('Open the request, then approve or reject it.', 'Abra a solicitação e aprove-a ou rejeite-a.'),
  support_approved: phrase(
    'Follow the steps of support in the audit log, and end the access when it is no longer needed.',
    'Acompanhe as ações do suporte no registro de auditoria e encerre o acesso quando não for mais necessário.',
  ),
  role_used: phrase('Check in the audit log that the use was agreed.', 'Verifique no registro de auditoria se o uso foi combinado.'),
  escalated: phrase(
    'Check that the change was agreed, and revoke the rights if it was not.',
    'Verifique se a alteração foi combinada e, se não foi, revogue os direitos.',
  ),
  device_ahead: phrase('Ask the person to set the phone to automatic time.', 'Peça à pessoa que ative a hora automática no telefone.'),
  device_waits_other_key: phrase(
    'Ask the person whether the app was installed again, then confirm or reject the device.',
    'Pergunte à pessoa se o aplicativo foi reinstalado e confirme ou rejeite o dispositivo.',
  ),
  device_waits_unconfirmed: phrase(
    'Find out who carries the device, then confirm or reject it.',
    'Descubra quem porta o dispositivo e confirme-o ou rejeite-o.',
  ),
  device_waits_holder: phrase(
    'Ask both people about the handover, then confirm or reject the new holder.',
    'Confirme a entrega com as duas pessoas e aceite ou rejeite o novo portador.',
  ),
  device_waits_beyond_expected: phrase(
    'Raise the number of expected phones and confirm the device, or reject it.',
    'Aumente o número de telefones previstos e confirme o dispositivo, ou rejeite-o.',
  ),
  device_hardware_of_another: phrase(
    'Compare the serial number on both devices and deactivate the wrong one.',
    'Compare o número de série nos dois dispositivos e desative o incorreto.',
  ),
  device_email_unknown: phrase(
    'Create the device user with this address, or correct the address on the phone.',
    'Crie o usuário de dispositivo com esse endereço ou corrija o endereço no telefone.',
  ),
  number_twice: phrase(
    'Ask which device has the SIM, and deactivate the other if it is no longer used.',
    'Verifique qual dispositivo tem o SIM e desative o outro, se não for mais usado.',
  ),
  blocked_device_seen: phrase('Collect the device, or unblock it if it should record.', 'Recolha o dispositivo ou desbloqueie-o, se ele deve gravar.'),
  enrolment_tried_used: phrase(
    'If the person has a second phone, send a new enrolment; otherwise ask who has the code.',
    'Se a pessoa tem um segundo telefone, envie um novo cadastro; caso contrário, apure quem tem o código.',
  ),
  enrolment_tried_revoked: phrase(
    'Send a new enrolment if the person should enrol; otherwise ask who has the code.',
    'Envie um novo cadastro se a pessoa deve se cadastrar; caso contrário, apure quem tem o código.',
  ),
  enrolment_tried_expired: phrase('Send the person a new enrolment.', 'Envie um novo cadastro à pessoa.'),
  device_reports: phrase('Open the logs of the device and follow its message.', 'Abra os registros do dispositivo e siga a mensagem dele.'),
  user_has_fewer: phrase(
    'Enrol the missing phone, or correct the number of expected phones.',
    'Cadastre o telefone que falta ou corrija o número de telefones previstos.',
  ),
  user_has_more: phrase(
    'Deactivate the phone that is no longer used, or correct the number of expected phones.',
    'Desative o telefone que não é mais usado ou corrija o número de telefones previstos.',
  ),
  offboarded_records: phrase('Collect the phones of the person, or onboard the person again.', 'Recolha os telefones da pessoa ou reative o cadastro dela.'),
  offboarded_queue: phrase(
    'Connect the phones to a network until all recordings are uploaded, then deactivate them.',
    'Conecte os telefones a uma rede até o envio de todas as gravações e depois desative-os.',
  ),
  capture: phrase(
    'Open the device or person and remove the cause that the message names.',
    'Abra o dispositivo ou a pessoa e elimine a causa indicada na mensagem.',
  ),
  device_silent: phrase(
    'Ask the person to switch the phone on, connect it and open the app.',
    'Peça à pessoa que ligue o telefone, conecte-o à rede e abra o aplicativo.',
  ),
  device_no_uploads: phrase(
    'Make a test call on the phone; if no recording arrives, check the app’s permissions.',
    'Faça uma chamada de teste no telefone; se nenhuma gravação chegar, verifique as permissões do aplicativo.',
  ),
  device_late: phrase(
    'Ask the person to connect the phone to Wi-Fi and charge it until the uploads are complete.',
    'Peça à pessoa que conecte o telefone ao Wi-Fi e à energia até a conclusão dos envios.',
  ),
}

/** What to do about an alert; undefined for an unknown code. */
export function alertAdvice(code: string, locale: Locale): string | undefined {
  if (!Object.hasOwn(ALERT_TEXTS, code)) return undefined
  return ALERT_ADVICE[getIncidentKind(code) as Kind<AlertTextCode>][locale]
}
