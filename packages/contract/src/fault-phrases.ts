import { fill, type Locale, type Phrase, phrase } from './phrases.ts'

/**
 * Friendly texts for values that fail validation (spec section 5). `{field}`, `{type}`, `{limit}` are filled in.
 * The keys travel as `code` of a field fault, so that each screen can show the reader's language.
 */
export const FAULTS = {
  required: phrase("The '{field}' field is required.", "O campo '{field}' é obrigatório."),
  wrong_type: phrase('Please provide a valid {type} for the field.', 'Informe um valor válido do tipo {type} para o campo.'),
  not_allowed: phrase("'{field}' is not a known field.", "'{field}' não é um campo conhecido."),
  not_an_option: phrase('Must be one of: {options}.', 'Deve ser um destes: {options}.'),
  too_short: phrase('Characters: at least {limit}.', 'Caracteres: no mínimo {limit}.'),
  too_long: phrase('Characters: at most {limit}.', 'Caracteres: no máximo {limit}.'),
  too_few: phrase('Items: at least {limit}.', 'Itens: no mínimo {limit}.'),
  too_many: phrase('Items: at most {limit}.', 'Itens: no máximo {limit}.'),
  too_small: phrase('Must be at least {limit}.', 'Deve ser no mínimo {limit}.'),
  too_big: phrase('Must be at most {limit}.', 'Deve ser no máximo {limit}.'),
  no_files: phrase('Choose originals or playable copies.', 'Escolha originais ou cópias reproduzíveis.'),
  no_selection: phrase('Choose records, or all that match.', 'Escolha registros ou todos os que correspondem.'),
  not_unique: phrase('Must not contain duplicates.', 'Não pode conter repetições.'),
  same_identity: phrase('App {value} already has this issuer and audience.', 'O aplicativo {value} já tem este emissor e esta audiência.'),
  not_a_token: phrase(
    'Paste an id token (three parts with dots) or its claims as JSON, with a “sub”.',
    'Cole um token de identidade (três partes com pontos) ou suas declarações em JSON, com um “sub”.',
  ),
  invalid: phrase('The value is not valid.', 'O valor não é válido.'),
  not_text: phrase('Must be text in UTF-8.', 'Deve ser texto em UTF-8.'),
  schedule: phrase('Must be a valid cron or rate expression, or empty.', 'Deve ser uma expressão cron ou rate válida, ou vazia.'),
  schedule_never: phrase('It never runs: it has no future date.', 'Nunca é executada: não há datas futuras.'),
  leading_slash: phrase("Must start with a leading slash '/'.", "Deve começar com uma barra '/'."),
  email: phrase('Must be a valid email address.', 'Deve ser um endereço de e-mail válido.'),
  sftp_reference: phrase("Only alphanumeric characters and '_.-' are allowed.", "Só são permitidos caracteres alfanuméricos e '_.-'."),
  transfer_config_reference: phrase("Only alphanumeric characters and ':/-' are allowed.", "Só são permitidos caracteres alfanuméricos e ':/-'."),
  transfer_role: phrase(
    'This role cannot deliver these types: it needs their downloads and metadata from any network.',
    'Esta função não pode entregar estes tipos: precisa dos downloads e metadados deles a partir de qualquer rede.',
  ),
  never_transferred: phrase(
    'No transfer delivers these payloads, so they would never expire.',
    'Nenhuma transferência entrega estes registros; eles nunca expirariam.',
  ),
  pgp_key: phrase('Must be a valid PGP key (public key block).', 'Deve ser uma chave PGP válida (bloco de chave pública).'),
  device_reference: phrase("Cannot start with any of ' ,+#/:' and cannot include ',+#/:'.", "Não pode começar com ' ,+#/:' nem conter ',+#/:'."),
  no_leading_space_or_comma: phrase('Cannot start with a leading space and cannot contain a comma.', 'Não pode começar com espaço nem conter vírgula.'),
  simple_name: phrase(
    'No special characters apart from -_.!() and spaces, no leading or trailing space.',
    'Sem caracteres especiais além de -_.!() e espaços, sem espaço no início ou no fim.',
  ),
  cidr: phrase('Must be a valid CIDR range.', 'Deve ser um intervalo CIDR válido.'),
  iso_date: phrase('Must be a date like 1999-01-01.', 'Deve ser uma data como 1999-01-01.'),
  date_parameter: phrase('Must be a date like 1999-01-01 or 1999-01-01-165000.', 'Deve ser uma data como 1999-01-01 ou 1999-01-01-165000.'),
  iso_timestamp: phrase('Must be an ISO-formatted date.', 'Deve ser uma data no formato ISO.'),
  https_address: phrase('Must start with https://', 'Deve começar com https://'),
  iam_arn: phrase('Must be a valid AWS IAM ARN.', 'Deve ser um ARN do AWS IAM válido.'),
  s3_address: phrase('Must start with s3://', 'Deve começar com s3://'),
  s3_bucket: phrase(
    'The name of an S3 bucket has 3 to 63 characters: lower-case letters, digits, dots and hyphens.',
    'O nome de um bucket do S3 tem de 3 a 63 caracteres: letras minúsculas, dígitos, pontos e hifens.',
  ),
  body_required: phrase('The request needs a body in JSON.', 'A requisição precisa de um corpo em JSON.'),
  phone_number: phrase('Must be a phone number with country code, or a short code.', 'Deve ser um número de telefone com código do país, ou um código curto.'),
  imei: phrase('Must have exactly 15 digits.', 'Deve ter exatamente 15 dígitos.'),
  client_reference: phrase(
    'Only lower-case letters, digits and hyphens are allowed, beginning with a letter or digit.',
    'Só são permitidos letras minúsculas, dígitos e hifens, começando com letra ou dígito.',
  ),
  reference: phrase('Only letters, digits, dash and underscore are allowed.', 'Só são permitidos letras, dígitos, hífen e sublinhado.'),
  enrolment: phrase('Must be the reference and the secret of an enrolment.', 'Deve ser a referência e o segredo de um cadastro.'),
  ulid: phrase(
    'Must be a reference of 26 characters: digits, and capital letters without I, L, O and U.',
    'Deve ser uma referência de 26 caracteres: dígitos e letras maiúsculas sem I, L, O e U.',
  ),
  iv: phrase('Must be 12 bytes in base64.', 'Deve ser de 12 bytes em base64.'),
  base64: phrase('Must be base64.', 'Deve estar em base64.'),
  checksum: phrase('Must be a SHA-256 in 64 hexadecimal digits.', 'Deve ser um SHA-256 em 64 dígitos hexadecimais.'),
  pattern_empty: phrase('A pattern cannot be empty.', 'Um padrão não pode ser vazio.'),
  pattern_too_long: phrase('A pattern can have at most {limit} characters.', 'Um padrão pode ter no máximo {limit} caracteres.'),
  pattern_invalid: phrase('This is not a valid regular expression.', 'Esta não é uma expressão regular válida.'),
  pattern_too_complex: phrase('This regular expression is too complex.', 'Esta expressão regular é complexa demais.'),
  too_many_patterns: phrase(
    'A permission can have at most {limit} patterns, its conditions included.',
    'Uma permissão pode ter no máximo {limit} padrões, incluindo suas condições.',
  ),
  too_many_patterns_in_role: phrase('A role can have at most {limit} patterns in all.', 'Uma função pode ter no máximo {limit} padrões no total.'),
  no_patterns: phrase('A condition needs group names, tag keys or tag values.', 'Uma condição precisa de nomes de grupos, chaves ou valores de etiquetas.'),
  matches_no_action: phrase('This matches no action.', 'Não corresponde a nenhuma ação.'),
  unknown_reference: phrase('Not found: {value}.', 'Não encontrado: {value}.'),
  ambiguous_serial_number: phrase(
    'Several pending devices have this serial number: use a reference.',
    'Vários dispositivos pendentes têm este número de série: use a referência.',
  ),
  beyond_recording: phrase('The recording ends at {limit} seconds.', 'A gravação termina em {limit} segundos.'),
  nothing_played: phrase('There is no recording to select a part of.', 'Não há gravação da qual selecionar um trecho.'),
  wrong_code: phrase('This code is wrong or expired. Enter the latest one.', 'O código está incorreto ou expirado. Informe o mais recente.'),
  email_taken: phrase('Another onboarded device user has this address.', 'Outro usuário de dispositivo ativo tem este endereço.'),
  tag_repeated: phrase('The group already has this tag, with one value.', 'O grupo já tem esta etiqueta, com um valor.'),
  tag_missing: phrase('The required tag {value} is missing.', 'Falta a etiqueta obrigatória {value}.'),
  tag_value: phrase('The value {value} is not allowed for this tag.', 'O valor {value} não é permitido para esta etiqueta.'),
  may_not_mend: phrase('Your roles do not allow changes to {count} of these groups.', 'Suas funções não permitem alterar {count} destes grupos.'),
  default_not_in_values: phrase('The default must be one of the allowed values.', 'O valor padrão deve ser um dos valores permitidos.'),
  values_empty: phrase('A required tag needs at least one allowed value.', 'Uma etiqueta obrigatória precisa de pelo menos um valor permitido.'),
  law_of_kind: phrase('This law has no such request. Choose another law or type.', 'Esta lei não prevê essa solicitação. Escolha outra lei ou outro tipo.'),
  received_when: phrase('Must be a time within the last {limit} days.', 'Deve ser um momento nos últimos {limit} dias.'),
  due_when: phrase('Must be between receipt and the latest legal day.', 'Deve estar entre o recebimento e o último dia legal.'),
  expiry_in_past: phrase('Must be in the future.', 'Deve estar no futuro.'),
  expiry_too_late: phrase('Not later than requested, at most {limit} days from now.', 'Não depois do solicitado, no máximo {limit} dias a partir de agora.'),
  matters_need_end: phrase('Access that is limited to legal matters needs an end.', 'O acesso limitado a casos jurídicos precisa de um término.'),
  expiry_too_far: phrase('At most {limit} days from now.', 'No máximo {limit} dias a partir de agora.'),
  control_character: phrase(
    'Line breaks and other control characters are not allowed here.',
    'Quebras de linha e outros caracteres de controle não são permitidos aqui.',
  ),
  invisible_character: phrase('Invisible characters are not allowed here.', 'Caracteres invisíveis não são permitidos aqui.'),
  name_of_a_page: phrase('A portal page has this name: choose another.', 'Uma página do portal tem este nome: escolha outro.'),
  reserved_name: phrase('A name cannot end in (support), (app) or (provider).', 'Um nome não pode terminar em (support), (app) ou (provider).'),
  license_exceeded: phrase('No licences are left for: {value}.', 'Não há mais licenças para: {value}.'),
  group_reserved: phrase('This group name is reserved for pending devices: choose another.', 'Este nome é reservado a dispositivos pendentes: escolha outro.'),
  self_approval: phrase('You cannot approve your own request.', 'Não é possível aprovar a própria solicitação.'),
  address_forbidden: phrase('This address is not public. Use another.', 'Este endereço não é público. Use outro.'),
  address_unreachable: phrase('This address does not respond as expected. Check it.', 'Este endereço não responde como esperado. Verifique-o.'),
  device_deactivated: phrase(
    'This device is deactivated: it fetches no commands until it authenticates again.',
    'Este dispositivo está desativado: não busca comandos até se autenticar novamente.',
  ),
  no_sms_gateway: phrase(
    'This installation has no number for verification codes: its operator must set SMS_GATEWAY_NUMBER.',
    'Esta instalação não tem número para códigos de verificação: o operador deve definir SMS_GATEWAY_NUMBER.',
  ),
  no_mail_server: phrase(
    'This installation sends no e-mails: its operator must set SMTP_URL.',
    'Esta instalação não envia e-mails: o operador deve definir SMTP_URL.',
  ),
  words_missing: phrase('Enter a less common word of two letters or more.', 'Informe uma palavra menos comum, de duas letras ou mais.'),
  words_many: phrase('Words: at most {limit}.', 'Palavras: no máximo {limit}.'),
  prefix_short: phrase('A word beginning needs {limit} letters before the *.', 'O início de uma palavra precisa de {limit} letras antes do *.'),
  prefix_several: phrase('Only one word may end in *.', 'Só uma palavra pode terminar em *.'),
  prefix_wide: phrase('Too many words match. Add one more letter before the *.', 'Palavras demais correspondem. Acrescente uma letra antes do *.'),
  prefix_limited: phrase(
    'Your access is limited to legal matters: enter whole words, without *.',
    'Seu acesso se limita a casos jurídicos: informe palavras inteiras, sem *.',
  ),
  not_as_in_path: phrase('The URL names a different item.', 'O endereço da chamada indica outro item.'),
  days_missing: phrase('Enter the days until deletion, destruction or both.', 'Informe os dias até a exclusão, a destruição ou ambas.'),
  below_minimum: phrase('Not before {limit} days: {basis}.', 'Não antes de {limit} dias: {basis}.'),
  minimum_lowered: phrase(
    'A legal minimum of {limit} days cannot be lowered or removed.',
    'Um mínimo legal de {limit} dias não pode ser reduzido nem removido.',
  ),
  matter_full: phrase('A legal matter has at most {limit} people.', 'Um caso jurídico tem no máximo {limit} pessoas.'),
  requires_default: phrase('A required tag needs a default value.', 'Uma etiqueta obrigatória precisa de um valor padrão.'),
} as const satisfies Record<string, Phrase>
export type FaultCode = keyof typeof FAULTS

/** Names of schema types in `wrong_type`; others keep their names. */
const TYPE_NAMES: Readonly<Record<string, Phrase>> = {
  int: phrase('whole number', 'número inteiro'),
  number: phrase('number', 'número'),
  string: phrase('text', 'texto'),
  boolean: phrase('true or false value', 'verdadeiro ou falso'),
  array: phrase('list', 'lista'),
  object: phrase('object', 'objeto'),
  record: phrase('object', 'objeto'),
}

/** The text of a fault in a language, its values filled in. */
export function faultPhrase(code: FaultCode, values: Readonly<Record<string, string | number>>, locale: Locale): string {
  const type = TYPE_NAMES[String(values.type)]
  return fill(FAULTS[code][locale], type ? { ...values, type: type[locale] } : values)
}
