import type { AlertText } from './alerts.ts'
import { FAILURES } from './failures.ts'
import type { DeviceService } from './payload-types.ts'
import { fill, type Locale, type Phrase, phrase } from './phrases.ts'

interface Text {
  readonly subject: Phrase
  readonly message: Phrase
}
type InBoth = readonly [en: string, pt: string]

const text = (subject: InBoth, message: InBoth): Text => ({
  subject: phrase(...subject),
  message: phrase(...message),
})

const ESCALATED: InBoth = ['Rights granted beyond own', 'Direitos concedidos além dos próprios']

const GAP: InBoth = ['A gap in capture', 'Uma lacuna na captura']

/** What alerts say, in both languages; `{name}` is filled in. The English one is stored with the alert, as evidence. */
export const ALERT_TEXTS = {
  notification: text(['Notification of the provider', 'Aviso do provedor'], ['{message}', '{message}']),
  payload_failed: text(
    ['A recording could not be processed', 'Uma gravação não pôde ser processada'],
    ['{failure}', '{failure}'],
  ),
  payload_escalated: text(
    ['A recording was escalated', 'Uma gravação foi escalada'],
    [
      '{user_reference} escalated {payload_reference}. It stays open until somebody closes it with a result.',
      '{user_reference} escalou {payload_reference}. Fica aberto até que alguém o encerre com um resultado.',
    ],
  ),
  payload_altered: text(
    ['A recording is not as its phone sealed it', 'Uma gravação não está como o telefone a cifrou'],
    ['{failure}', '{failure}'],
  ),
  payload_infected: text(
    ['A recording holds malware', 'Uma gravação contém malware'],
    ['{failure}', '{failure}'],
  ),
  device_ahead: text(
    ['A device says times of the future', 'Um dispositivo informa horários do futuro'],
    [
      'Device {device_reference} announced a recording as made more than a day ahead. It is kept as it was said, and listed at the time it arrived.',
      'O dispositivo {device_reference} anunciou uma gravação como feita com mais de um dia de adiantamento. Ela é mantida como informada e aparece na lista no momento em que chegou.',
    ],
  ),
  device_waits_other_key: text(
    ['A device says that it is another one', 'Um dispositivo diz que é outro'],
    [
      'Device {device_reference} has the serial number or IMEI of {other}, and another key. It waits for confirmation as a device of its own; {other} stays as it is.',
      'O dispositivo {device_reference} tem o número de série ou IMEI de {other} e outra chave. Ele aguarda confirmação como um dispositivo à parte; {other} fica como está.',
    ],
  ),
  device_waits_unconfirmed: text(
    ['A new device waits for confirmation', 'Um novo dispositivo aguarda confirmação'],
    [
      'Device {device_reference} is new, and no code names its holder. Its recordings are kept apart until an administrator confirms it.',
      'O dispositivo {device_reference} é novo e nenhum código indica o seu titular. As gravações dele ficam à parte até que um administrador o confirme.',
    ],
  ),
  device_waits_holder: text(
    ['A device asks for another holder', 'Um dispositivo pede outro titular'],
    [
      'Device {device_reference} says that it belongs to {device_user_reference} now. What it records waits until somebody confirms it.',
      'O dispositivo {device_reference} diz que agora pertence a {device_user_reference}. O que ele grava aguarda até que alguém confirme.',
    ],
  ),
  device_waits_beyond_expected: text(
    ['One more device than expected', 'Um dispositivo além do esperado'],
    [
      'Device {device_reference} says that it belongs to {device_user_reference}, who has all phones that are expected. What it records waits until somebody confirms it.',
      'O dispositivo {device_reference} diz que pertence a {device_user_reference}, que já tem todos os telefones esperados. O que ele grava aguarda até que alguém confirme.',
    ],
  ),
  device_hardware_of_another: text(
    ['A device says the number of another one', 'Um dispositivo informa o número de outro'],
    [
      'Device {device_reference} is known by its key, and says a serial number or IMEI that is that of {other}. Its own are kept.',
      'O dispositivo {device_reference} é reconhecido pela sua chave e informa um número de série ou IMEI que é de {other}. Os seus são mantidos.',
    ],
  ),
  device_email_unknown: text(
    ['A device says an address that nobody has', 'Um dispositivo informa um endereço que ninguém tem'],
    [
      'Device {device_reference} says that it belongs to an address that no device user has. It stays with its holder.',
      'O dispositivo {device_reference} diz que pertence a um endereço que nenhum usuário de dispositivo tem. Ele fica com o seu titular.',
    ],
  ),
  number_twice: text(
    ['Two devices say the same number', 'Dois dispositivos informam o mesmo número'],
    [
      'Device {device_reference} says that it has the number {phone_number}, which another device has. It stays with that one until one of them stops saying so, or a text message proves it.',
      'O dispositivo {device_reference} diz que tem o número {phone_number}, que outro dispositivo tem. O número fica com este até que um dos dois deixe de informá-lo ou que uma mensagem de texto o comprove.',
    ],
  ),
  blocked_device_seen: text(
    ['A blocked device tried to authenticate', 'Um dispositivo bloqueado tentou se autenticar'],
    [
      'Device {device_reference} is reported lost or stolen and tried to authenticate. It was refused.',
      'O dispositivo {device_reference} foi dado como perdido ou roubado e tentou se autenticar. Ele foi recusado.',
    ],
  ),
  enrolment_tried_used: text(
    ['A used enrolment was tried again', 'Um cadastro já usado foi tentado de novo'],
    [
      'Another phone tried the enrolment {enrolment_reference} of {whose}, which has been used: somebody has a copy of it. It was refused.',
      'Outro telefone tentou o cadastro {enrolment_reference} de {whose}, que já foi usado: alguém tem uma cópia dele. Foi recusado.',
    ],
  ),
  enrolment_tried_revoked: text(
    ['A revoked enrolment was tried', 'Um cadastro revogado foi tentado'],
    [
      'A phone tried the enrolment {enrolment_reference} of {whose}, which was revoked. It was refused.',
      'Um telefone tentou o cadastro {enrolment_reference} de {whose}, que foi revogado. Foi recusado.',
    ],
  ),
  enrolment_tried_expired: text(
    ['An expired enrolment was tried', 'Um cadastro vencido foi tentado'],
    [
      'A phone tried the enrolment {enrolment_reference} of {whose}, which has expired. It was refused.',
      'Um telefone tentou o cadastro {enrolment_reference} de {whose}, que venceu. Foi recusado.',
    ],
  ),
  phone_reports: text(
    ['{subject}', '{subject}'],
    ['Device {device_reference} reports: {message}', 'O dispositivo {device_reference} informa: {message}'],
  ),
  mass_playing: text(
    ['Unusually many recordings played', 'Reprodução incomum de muitas gravações'],
    [
      '{user_reference} was handed {count} recordings to play in a day, unusually many for them.',
      '{user_reference} recebeu {count} gravações para reproduzir em um dia, um número incomum para essa pessoa.',
    ],
  ),
  mass_downloading: text(
    ['Unusually many recordings downloaded', 'Download incomum de muitas gravações'],
    [
      '{user_reference} downloaded {count} recordings in a day, unusually many for them.',
      '{user_reference} baixou {count} gravações em um dia, um número incomum para essa pessoa.',
    ],
  ),
  mass_exporting: text(
    ['Unusually many lists exported', 'Exportação incomum de muitas listas'],
    [
      '{user_reference} exported {count} lists in a day, unusually many for them.',
      '{user_reference} exportou {count} listas em um dia, um número incomum para essa pessoa.',
    ],
  ),
  licenses_short: text(
    ['A device records less for want of licences', 'Um dispositivo grava menos por falta de licenças'],
    [
      'No licence was left for {services} when device {device_reference} was activated. It records the rest; the next time it authenticates it is asked again.',
      'Não havia licença para {services} quando o dispositivo {device_reference} foi ativado. Ele grava o resto; na próxima autenticação isso é verificado de novo.',
    ],
  ),
  licenses_nearly_used: text(
    ['Licences are nearly used up', 'As licenças estão quase esgotadas'],
    [
      'Activated devices use {used} of {limit} licences of {service}. Devices that are activated when none is left do not record it.',
      'Dispositivos ativados usam {used} de {limit} licenças de {service}. Dispositivos ativados quando não houver mais nenhuma não o gravam.',
    ],
  ),
  licenses_used_up: text(
    ['Licences are used up', 'As licenças estão esgotadas'],
    [
      'Activated devices use {used} of {limit} licences of {service}. Devices that are activated from now on do not record it; those that record already go on.',
      'Dispositivos ativados usam {used} de {limit} licenças de {service}. Dispositivos ativados a partir de agora não o gravam; os que já gravam continuam.',
    ],
  ),
  proposal_waits: text(
    ['Something waits for a second person', 'Algo espera por uma segunda pessoa'],
    [
      'Somebody proposed an act that two people decide: the release of a hold, or a shorter retention. It waits for seven days; whoever may do it themselves confirms or rejects it on the page of proposals.',
      'Alguém propôs um ato que duas pessoas decidem: a liberação de uma preservação legal, ou uma retenção mais curta. Espera por sete dias; quem pode fazê-lo por si confirma ou rejeita na página de propostas.',
    ],
  ),
  data_request_due: text(
    ['A request of somebody is due', 'Um pedido de alguém está para vencer'],
    [
      'A request about what is kept of somebody is still open and due in {days} days or less. Its page says until when the law asks for an answer, and what is kept.',
      'Um pedido sobre o que se guarda de alguém continua aberto e vence em {days} dias ou menos. A página dele diz até quando a lei pede uma resposta, e o que está guardado.',
    ],
  ),
  destruction_waits: text(
    ['Destruction waits for somebody', 'Destruição espera por alguém'],
    [
      'A list of recordings that are due for destruction is complete. Nothing of it goes before somebody who did not save the policy has looked at it on the page of retention, taken out what has to stay, and released the rest.',
      'Uma lista de gravações que devem ser destruídas está completa. Nada dela é destruído antes que alguém que não salvou a política a veja na página de retenção, retire o que deve ficar e libere o resto.',
    ],
  ),
  retention_waits: text(
    ['Retention waits for others', 'A retenção espera por outros'],
    [
      'What has been due for more than {days} days stays: {receipts} recordings wait for a receipt, {transfers} for a transfer, {sign_offs} for the sign-off of their migration, and {late} for data that is late, until it comes or somebody gives it up. The forecast on the page of retention says which kinds.',
      'O que venceu há mais de {days} dias continua guardado: {receipts} gravações esperam por um recebimento, {transfers} por uma transferência, {sign_offs} pelo aceite da migração de que vieram e {late} por dados atrasados, até que cheguem ou alguém desista deles. A previsão na página de retenção diz de que tipos são.',
    ],
  ),
  retention_behind: text(
    ['Retention does not get on', 'A retenção não avança'],
    [
      'For more than {days} days nobody has got through what is due in this account. Nothing is lost; what should be gone is still there. The provider’s log says why.',
      'Há mais de {days} dias ninguém termina de percorrer o que venceu nesta conta. Nada se perdeu; o que já deveria ter saído continua guardado. O registro do provedor diz por quê.',
    ],
  ),
  destruction_unfinished: text(
    ['Destructions are not finished', 'Destruições não concluídas'],
    [
      'Keys or objects of {count} destroyed recordings are still there after {minutes} minutes. The recordings are destroyed on record and cannot be opened in the portal. The provider’s log says why.',
      'Chaves ou objetos de {count} gravações destruídas ainda existem após {minutes} minutos. As gravações constam como destruídas e não podem ser abertas no portal. O registro do provedor diz por quê.',
    ],
  ),
  transfer_failed: text(
    ['A transfer failed', 'Uma transferência falhou'],
    [
      'Not everything of a run of the transfer {config} lies on its target. Items that failed: {failed}. The run tells which and why, and repeats them alone.',
      'Nem tudo de uma execução da transferência {config} está no destino. Itens que falharam: {failed}. A execução diz quais e por quê, e repete só esses.',
    ],
  ),
  transfer_host_key: text(
    ['A server of transfers shows another key', 'Um servidor de transferências mostra outra chave'],
    [
      'The server of the transfer {config} shows another host key than the one that was pinned. Nothing was sent. Either it was set up anew, or somebody stands in between.',
      'O servidor da transferência {config} mostra uma chave de host diferente da fixada. Nada foi enviado. Ou ele foi reinstalado, ou há alguém no meio do caminho.',
    ],
  ),
  transfer_late: text(
    ['A transfer did not start in time', 'Uma transferência não começou na hora'],
    [
      'The schedule of the transfer {config} should have started it at {since} and did not. It starts now, over everything since.',
      'A agenda da transferência {config} deveria tê-la iniciado em {since} e não o fez. Ela começa agora, com tudo desde então.',
    ],
  ),
  transfer_role_narrowed: text(
    ['A transfer delivers less than before', 'Uma transferência entrega menos do que antes'],
    [
      'The role of the transfer {config} lost rights. No longer delivered: {types}, groups: {groups}. The run says how many recordings it left out.',
      'A função da transferência {config} perdeu direitos. Não são mais entregues: {types}, grupos: {groups}. A execução diz quantas gravações ficaram de fora.',
    ],
  ),
  transfer_unreconciled: text(
    ['A reconciliation could not be sent', 'Uma conciliação não pôde ser enviada'],
    [
      'The target of the transfer {config} did not take the reconciliation of {days} days. It is sent again every hour.',
      'O destino da transferência {config} não aceitou a conciliação de {days} dias. Ela é enviada de novo a cada hora.',
    ],
  ),
  transfer_key_expires: text(
    ['A key of transfers expires', 'Uma chave de transferências vence'],
    [
      'The OpenPGP key of the transfer {config} can be used for {days} more days. After that nothing is sent until there is another one.',
      'A chave OpenPGP da transferência {config} pode ser usada por mais {days} dias. Depois disso nada é enviado até que haja outra.',
    ],
  ),
  mail_gave_up: text(
    ['Somebody’s alerts by e-mail do not arrive', 'Os alertas por e-mail de alguém não chegam'],
    [
      'Mails with alerts to {user_reference} were given up: the mail server refused the address, or could not be reached for days.',
      'Os e-mails com alertas a {user_reference} foram abandonados: o servidor de e-mail recusou o endereço ou não pôde ser alcançado durante dias.',
    ],
  ),
  migration_failed: text(
    ['A migration failed, in whole or in part', 'Uma migração falhou, no todo ou em parte'],
    [
      'Of a run over the files of the legacy platform {errors} rows were not imported. Its results tell which and why; once they are mended, what failed can be repeated alone.',
      'De uma execução sobre os arquivos da plataforma legada, {errors} linhas não foram importadas. Os resultados dizem quais e por quê; depois de corrigidas, só o que falhou pode ser repetido.',
    ],
  ),
  migration_quarantined: text(
    ['A file of a migration is infected', 'Um arquivo de uma migração está infectado'],
    [
      'The scanner found something in a file of the legacy platform. Nothing was imported. The results of the run name the file.',
      'O antivírus encontrou algo em um arquivo da plataforma legada. Nada foi importado. Os resultados da execução dizem qual arquivo.',
    ],
  ),
  webhook_gave_up: text(
    ['A webhook does not take alerts', 'Um webhook não recebe alertas'],
    [
      'Alerts could not be delivered to the webhook {webhook} for days and were given up. What is wrong stands with its deliveries, from where they can be sent again.',
      'Durante dias não foi possível entregar alertas ao webhook {webhook}, e eles foram abandonados. O motivo está nas entregas dele, de onde podem ser reenviados.',
    ],
  ),
  user_has_fewer: text(
    ['Somebody has fewer phones than expected', 'Alguém tem menos telefones do que o esperado'],
    [
      'The device user {device_user_reference} has {actual} activated phones; {expected} are expected.',
      'O usuário de dispositivo {device_user_reference} tem {actual} telefones ativados; o esperado é {expected}.',
    ],
  ),
  user_has_more: text(
    ['Somebody has more phones than expected', 'Alguém tem mais telefones do que o esperado'],
    [
      'The device user {device_user_reference} has {actual} activated phones; {expected} are expected.',
      'O usuário de dispositivo {device_user_reference} tem {actual} telefones ativados; o esperado é {expected}.',
    ],
  ),
  leaver_records: text(
    ['Somebody who was offboarded is still recorded', 'Alguém desligado ainda é gravado'],
    [
      'Phones of the device user {device_user_reference} have recorded after they were offboarded. What they hand over is kept.',
      'Telefones do usuário de dispositivo {device_user_reference} gravaram depois do desligamento. O que entregam é guardado.',
    ],
  ),
  leaver_queue: text(
    [
      'Phones of somebody who left still hold recordings',
      'Telefones de alguém desligado ainda guardam gravações',
    ],
    [
      'The device user {device_user_reference} was offboarded. Their phones have {waiting} recordings that are announced and not delivered; {unseen} of them have not been seen since. What they hand over is kept.',
      'O usuário de dispositivo {device_user_reference} foi desligado. Os telefones têm {waiting} gravações anunciadas e não entregues; {unseen} deles não foram vistos desde então. O que entregam é guardado.',
    ],
  ),
  capture_no_phone: text(GAP, [
    'The device user {device_user_reference} has no phone: {services} go unrecorded.',
    'O usuário de dispositivo {device_user_reference} não tem telefone: {services} ficam sem gravação.',
  ]),
  capture_unlicensed: text(GAP, [
    'For want of a licence, device {device_reference} of {device_user_reference} does not record: {services}.',
    'Por falta de licença, o dispositivo {device_reference} de {device_user_reference} não grava: {services}.',
  ]),
  capture_silent: text(GAP, [
    'Device {device_reference} of {device_user_reference} is silent. Whether it records is not known: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} está em silêncio. Não se sabe se grava: {services}.',
  ]),
  capture_service_off: text(GAP, [
    'Device {device_reference} of {device_user_reference} says that these are off: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} informa que estão desligados: {services}.',
  ]),
  capture_not_allowed: text(GAP, [
    'Device {device_reference} of {device_user_reference} says that these are not permitted to it: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} informa que não lhe são permitidos: {services}.',
  ]),
  capture_no_device_admin: text(GAP, [
    'The app is no device admin on {device_reference} of {device_user_reference}, and can be stopped at any time: {services}.',
    'O aplicativo não é administrador em {device_reference} de {device_user_reference} e pode ser parado a qualquer momento: {services}.',
  ]),
  capture_no_sim: text(GAP, [
    'Device {device_reference} of {device_user_reference} has no SIM: {services} go unrecorded.',
    'O dispositivo {device_reference} de {device_user_reference} não tem SIM: {services} ficam sem gravação.',
  ]),
  capture_brings_nothing: text(GAP, [
    'Device {device_reference} of {device_user_reference} is seen and brings nothing; it may have stopped recording: {services}.',
    'O dispositivo {device_reference} de {device_user_reference} é visto e não traz nada; pode ter parado de gravar: {services}.',
  ]),
  device_silent: text(
    ['A device is silent', 'Um dispositivo está em silêncio'],
    [
      'Device {device_reference} was last seen {unseen} hours ago. Nobody knows what it records meanwhile.',
      'O dispositivo {device_reference} foi visto pela última vez há {unseen} horas. Ninguém sabe o que ele grava enquanto isso.',
    ],
  ),
  device_brings_nothing: text(
    ['A device is silent but alive', 'Um dispositivo está vivo, mas em silêncio'],
    [
      'Device {device_reference} is seen and has brought no recording for {quiet} hours; for it, {usual} are usual. It may have stopped recording.',
      'O dispositivo {device_reference} é visto e não traz nenhuma gravação há {quiet} horas; para ele, o usual são {usual}. Ele pode ter parado de gravar.',
    ],
  ),
  device_late: text(
    ['A device is late with its recordings', 'Um dispositivo está atrasado com as gravações'],
    [
      'Device {device_reference} announced recordings more than {days} days ago and has not delivered them.',
      'O dispositivo {device_reference} anunciou gravações há mais de {days} dias e não as entregou.',
    ],
  ),
  processing_stalls: text(
    ['Recordings wait to be processed', 'Gravações aguardam processamento'],
    [
      'The processing of a recording keeps failing, for example because the malware scanner cannot be reached. It is tried again until it succeeds.',
      'O processamento de uma gravação continua falhando, por exemplo porque o verificador de malware não responde. Ele é repetido até dar certo.',
    ],
  ),
  reference_reused: text(
    ['A payload reference was used twice', 'Uma referência de gravação foi usada duas vezes'],
    [
      'Device {device_reference} announced other data under a reference that was taken. The first stays; nothing was overwritten.',
      'O dispositivo {device_reference} anunciou outros dados com uma referência já usada. Os primeiros permanecem; nada foi sobrescrito.',
    ],
  ),
  data_damaged: text(
    ['Stored data is damaged', 'Dados armazenados estão danificados'],
    [
      'Stored data of a recording ({kind}) could not be verified when it was read.',
      'Dados armazenados de uma gravação ({kind}) não puderam ser verificados na leitura.',
    ],
  ),
  archive_damaged: text(
    ['The check of the archive found faults', 'A verificação do arquivo encontrou falhas'],
    [
      'Found: {found}. `custodia verify` names each of them.',
      'Encontrado: {found}. `custodia verify` mostra cada um.',
    ],
  ),
  archive_unverified: text(
    ['The archive could not be checked', 'O arquivo não pôde ser verificado'],
    ['The nightly check ended early: {reason}', 'A verificação noturna terminou antes do fim: {reason}'],
  ),
  job_failed: text(
    ['A job failed for good', 'Uma tarefa falhou definitivamente'],
    [
      'The job {job} failed in every attempt and was set aside. The log of the workers has the reason.',
      'A tarefa {job} falhou em todas as tentativas e foi deixada de lado. O log dos processos tem o motivo.',
    ],
  ),
  backup_failed: text(
    ['A backup failed', 'Uma cópia de segurança falhou'],
    ['No backup was made: {reason}', 'Nenhuma cópia de segurança foi feita: {reason}'],
  ),
  space_low: text(
    ['A disk fills up', 'Um disco está ficando cheio'],
    [
      '{folder} has {free} MB left. Uploads are refused before it is full: make room.',
      '{folder} tem {free} MB livres. Os envios são recusados antes que encha: libere espaço.',
    ],
  ),
  identity_provider_changed: text(
    ['Identity provider changed', 'Provedor de identidade alterado'],
    [
      'The people of this account now sign in at {issuer}. Proposed by {user}, confirmed by {confirmed_by}.',
      'As pessoas desta conta agora entram em {issuer}. Proposto por {user}, confirmado por {confirmed_by}.',
    ],
  ),
  claim_mapping_changed: text(
    ['Mapping of claims to roles changed', 'Mapeamento de declarações para funções alterado'],
    [
      'The claims of {issuer} give other roles and groups now. Proposed by {user}, confirmed by {confirmed_by}.',
      'As declarações de {issuer} agora dão outras funções e grupos. Proposto por {user}, confirmado por {confirmed_by}.',
    ],
  ),
  identity_provider_change_seconded: text(
    ['Identity provider changes in 72 hours', 'Provedor de identidade muda em 72 horas'],
    [
      '{user} and {confirmed_by} say that this account cannot sign in. In 72 hours its people sign in at {issuer}, unless an administrator of the account rejects the proposal.',
      '{user} e {confirmed_by} informam que esta conta não consegue entrar. Em 72 horas as pessoas entrarão em {issuer}, a menos que um administrador da conta rejeite a proposta.',
    ],
  ),
  identity_secret_changed: text(
    ['Secret of the identity provider replaced', 'Segredo do provedor de identidade substituído'],
    [
      '{user} replaced the secret with which the portal asks {issuer}.',
      '{user} substituiu o segredo com que o portal consulta {issuer}.',
    ],
  ),
  support_requested: text(
    ['Support access requested', 'Acesso de suporte solicitado'],
    [
      '{user} of the provider asks for access with the role {role}.',
      '{user}, do provedor, solicita acesso com a função {role}.',
    ],
  ),
  support_approved: text(
    ['Support access approved', 'Acesso de suporte aprovado'],
    [
      '{approved_by} approved access of {user} of the provider with the role {role} until {until} UTC.',
      '{approved_by} aprovou o acesso de {user}, do provedor, com a função {role} até {until} UTC.',
    ],
  ),
  role_used: text(
    ['A watched role was used', 'Uma função monitorada foi usada'],
    ['{user} used the role {role}.', '{user} usou a função {role}.'],
  ),
  escalated_by_mapping: text(ESCALATED, [
    '{user} changed the mapping of claims ({name}) and so granted more than their own rights: {rights}',
    '{user} alterou o mapeamento de declarações ({name}) e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_role: text(ESCALATED, [
    '{user} saved the role {name} and so granted more than their own rights: {rights}',
    '{user} salvou a função {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_role_deletion: text(ESCALATED, [
    '{user} deleted the role {name} and so granted more than their own rights: {rights}',
    '{user} excluiu a função {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_group: text(ESCALATED, [
    '{user} saved the group {name} and so granted more than their own rights: {rights}',
    '{user} salvou o grupo {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_tag: text(ESCALATED, [
    '{user} saved the tag {name} and so granted more than their own rights: {rights}',
    '{user} salvou a etiqueta {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_tag_deletion: text(ESCALATED, [
    '{user} deleted the tag {name} and so granted more than their own rights: {rights}',
    '{user} excluiu a etiqueta {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_move: text(ESCALATED, [
    '{user} moved the device user {name} to another group and so gained rights over what they record: {rights}',
    '{user} moveu o usuário de dispositivo {name} para outro grupo e assim obteve direitos sobre o que grava: {rights}',
  ]),
  escalated_by_confirmation: text(ESCALATED, [
    '{user} confirmed whose the device {name} is and so gained rights over what it records: {rights}',
    '{user} confirmou de quem é o dispositivo {name} e assim obteve direitos sobre o que ele grava: {rights}',
  ]),
  escalated_by_defaults: text(ESCALATED, [
    '{user} saved the account defaults and so granted more than their own rights: {rights}',
    '{user} salvou os padrões da conta e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
  escalated_by_migration: text(ESCALATED, [
    '{user} started the migration {name}, which may move people into groups in which they have more rights: {rights}',
    '{user} iniciou a migração {name}, que pode mover pessoas para grupos em que ela própria tem mais direitos: {rights}',
  ]),
  escalated_by_transfer: text(ESCALATED, [
    '{user} saved the transfer config {name}, which delivers more than they may download: {rights}',
    '{user} salvou a configuração de transferência {name}, que entrega mais do que a pessoa pode baixar: {rights}',
  ]),
  escalated_by_app: text(ESCALATED, [
    '{user} saved the client app {name} and so granted more than their own rights: {rights}',
    '{user} salvou o aplicativo cliente {name} e assim concedeu mais do que os próprios direitos: {rights}',
  ]),
} as const satisfies Record<string, Text>
export type AlertTextCode = keyof typeof ALERT_TEXTS

/** What phones record, within a sentence. */
const SERVICES: Readonly<Record<DeviceService, Phrase>> = {
  calls: phrase('calls', 'chamadas'),
  interviews: phrase('interviews', 'entrevistas'),
  gps: phrase('GPS', 'GPS'),
  photos: phrase('photos', 'fotos'),
  mms: phrase('MMS', 'MMS'),
  rcs: phrase('RCS', 'RCS'),
  sms: phrase('SMS', 'SMS'),
  videos: phrase('videos', 'vídeos'),
}
/** Services by their names on the wire, in words; what is none stays. */
const serviceNames = (names: string, locale: Locale): string =>
  names
    .split(', ')
    .map((name) => (Object.hasOwn(SERVICES, name) ? SERVICES[name as DeviceService][locale] : name))
    .join(', ')

/** Subject and message in a language; undefined for an unknown code. */
export function alertPhrases(
  { code, values }: AlertText,
  locale: Locale,
): { subject: string; message: string } | undefined {
  if (!Object.hasOwn(ALERT_TEXTS, code)) return undefined
  const { subject, message } = ALERT_TEXTS[code as AlertTextCode]
  const { failure = '' } = values
  const failures: Readonly<Record<string, Phrase>> = FAILURES
  const result = {
    // Of alerts of retention that were raised before these were counted.
    sign_offs: '0',
    ...values,
    ...(Object.hasOwn(failures, failure) && { failure: failures[failure]![locale] }),
    ...(values.service !== undefined && { service: serviceNames(values.service, locale) }),
    ...(values.services !== undefined && { services: serviceNames(values.services, locale) }),
  }
  return { subject: fill(subject[locale], result), message: fill(message[locale], result) }
}
