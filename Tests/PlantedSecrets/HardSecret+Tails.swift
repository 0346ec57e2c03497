internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"

  /// Names of secrets with something before or behind the word.
  static let tails: [HardSecret] = accounts + machines

  private static let accounts: [HardSecret] = [
    told(
      60610,
      "Laravel's token of plain text",
      "/user/tokens",
      json,
      #"{"accessToken":{"name":"cli","abilities":["*"],"id":4},"plainTextToken":"4|§"}"#,
      "{m40}"
    ),
    told(
      60620,
      "digest of Rails",
      "/admin/users/3.json",
      json,
      #"{"id":3,"email":"ada@example.test","password_digest":"§","admin":false}"#,
      "$2a$12${m53}"
    ),
    told(
      60630,
      "hash with its algorithm",
      "/export/members",
      json,
      #"{"members":[{"uid":"u1","pwd_hash_argon2":"§","mfa":true}]}"#,
      "$argon2id$v=19$m=65536,t=3,p=4${b22}${b43}"
    ),
    told(
      60640,
      "Devise's column",
      "/dump/users.tsv",
      "text/tab-separated-values",
      "id\temail\tencrypted_password\tsign_in_count\n1\tada@example.test\t§\t14\n",
      "$2y$10${m53}"
    ),
    told(
      60650,
      "MediaWiki's old column",
      "/dump/mw_user.csv",
      "text/csv",
      "user_id,user_name,user_newpassword,user_editcount\n7,Ada,§,381\n",
      "{h32}"
    ),
    told(
      60660,
      "Azure AD's initial password",
      "/v1.0/users/c5",
      json,
      """
      {"displayName":"Ada","passwordProfile":{"forceChangePasswordNextSignIn":true,
       "initialPasswordValue":"§"}}
      """,
      "Qo-{m14}"
    ),
    told(
      60670,
      "password that was generated",
      "/admin/realms/shop/users/9/reset",
      json,
      #"{"userId":"9","generatedPwd":"§","temporary":true,"sentBy":"mail"}"#,
      "{m16}"
    ),
    told(
      60680,
      "scratch codes",
      "/two-factor/enable",
      json,
      #"{"enabled":true,"scratchCodes":["§"],"remaining":1}"#,
      "{a5}-{a10}"
    ),
    told(
      60690,
      "words of a wallet",
      "/wallets/12/export",
      json,
      #"{"wallet":12,"walletSeedPhrase":"§","path":"m/44'/60'/0'/0"}"#,
      "orbit velvet canyon mimic tulip frost agent lumber ozone pigeon rural width"
    ),
    told(
      60700,
      "one-time secret in base32",
      "/totp/enrol",
      json,
      #"{"otp_secret_base32":"§","digits":6,"period":30,"algorithm":"SHA1"}"#,
      "{q32}"
    ),
    sent(
      60710,
      "second form field",
      "/signup",
      form,
      "email=ada%40example.test&user%5Bpassword_again%5D=§&terms=1",
      "Quince-Lantern31"
    ),
    sent(
      60720,
      "passwords of forms with an index",
      "/wizard/2",
      form,
      "step=2&txtUserName=ada&ctl00%24MainContent%24txtPasswd2=§&btnNext=Next",
      "Copper_Kettle_58"
    ),
    told(
      60730,
      "NT hash of a directory",
      "/ldap/search?uid=ada",
      "text/plain",
      "dn: uid=ada,ou=people,dc=example,dc=test\nuid: ada\nsambaNTPassword: §\nsambaAcctFlags: [U]\n",
      "{H32}"
    ),
    told(
      60740,
      "MD5 of a password in an attribute",
      "/panel/accounts.xml",
      "text/xml",
      "<accounts><account login=\"ada\" passwd_md5=\"§\" quota=\"500\"/></accounts>",
      "{h32}"
    ),
    told(
      60750,
      "HA1 of a SIP account",
      "/sip/subscribers/100",
      json,
      #"{"username":"100","domain":"sip.example.test","ha1_password":"§","rpid":null}"#,
      "{h32}"
    ),
    told(
      60760,
      "encrypted token's plain twin",
      "/connections/6",
      json,
      #"{"provider":"gmail","refreshTokenDecrypted":"§","scopes":["mail.read"]}"#,
      "{u60}"
    ),
    told(
      60770,
      "token that is raw",
      "/invitations",
      json,
      #"{"invitation":{"email":"bo@example.test","raw_invitation_token":"§","role":"member"}}"#,
      "{u20}"
    ),
    asked(
      60780,
      "query with a number behind the name",
      "/report?from=2024-01-01&apikey2=§&format=json"
    ),
    asked(
      60790,
      "query with a prefix",
      "/wp-json/wc/v3/orders?oauth_consumer_secret_key=§&page=1",
      [:],
      "{h40}"
    ),
    told(
      60800,
      "PIN of a card",
      "/cards/7/secure-details",
      json,
      #"{"cardId":"7","brand":"visa","pinCodeClear":"§","blocked":false}"#,
      "{d8}"
    ),
  ]

  private static let machines: [HardSecret] = [
    told(
      60810,
      "Django's fallback keys",
      "/debug/settings",
      json,
      #"{"DEBUG":false,"ALLOWED_HOSTS":["*"],"SECRET_KEY_FALLBACKS":["§"],"USE_TZ":true}"#,
      "{u50}"
    ),
    told(
      60820,
      "Auth.js with a year",
      "/ops/.env.production",
      "text/plain",
      "NODE_ENV=production\nNEXTAUTH_URL=https://app.example.test\nNEXTAUTH_SECRET_2023=\"§\"\n",
      "{b43}="
    ),
    told(
      60830,
      "Cosmos DB's list of keys",
      "/databaseAccounts/d1/listKeys",
      json,
      #"{"primaryMasterKey":"§","documentEndpoint":"https://d1.example.test:443/"}"#,
      "{b86}=="
    ),
    told(
      60840,
      "AWS key of a second version",
      "/vault/aws/creds/deploy",
      json,
      #"{"lease_duration":3600,"data":{"secretAccessKeyV2":"§","region":"eu-west-1"}}"#,
      "{b40}"
    ),
    told(
      60850,
      "PostgreSQL's roles",
      "/admin/pg_authid.csv",
      "text/csv",
      "rolname,rolsuper,rolpassword,rolvaliduntil\nreport,f,§,\n",
      "SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}="
    ),
    told(
      60860,
      "Wi-Fi of a router",
      "/cgi-bin/wireless",
      "text/plain",
      "ssid=Office\nhw_mode=g\nchannel=6\nwpa_passphrase_5g=§\nwpa_key_mgmt=WPA-PSK\n",
      "Larch-Bridge-2291"
    ),
    told(
      60870,
      "SNMP's user",
      "/devices/sw1/snmp",
      json,
      #"{"version":3,"user":"mon","authPassphraseClear":"§","privProtocol":"AES"}"#,
      "{m20}"
    ),
    told(
      60880,
      "LDAP's bind in Keycloak",
      "/components/ldap",
      json,
      #"{"config":{"bindDn":["cn=kc"],"bindCredential":["§"],"usersDn":["ou=people"]}}"#,
      "Heron.Meadow_614"
    ),
    told(
      60890,
      "Ansible's inventory",
      "/inventory/hosts.ini",
      "text/plain",
      "[web]\nweb1 ansible_host=10.1.0.4 ansible_user=deploy ansible_become_pass=§\n"
    ),
    told(
      60900,
      "mail settings",
      "/settings/mail",
      json,
      #"{"smtpHost":"mx.example.test","smtpUser":"bot","smtpPassNew":"§","smtpPort":587}"#
    ),
    told(
      60910,
      "webhook's next key",
      "/webhooks/3",
      json,
      #"{"id":3,"url":"https://a.example.test/h","signing_secret_next":"§","active":true}"#,
      "{m32}"
    ),
    told(
      60920,
      "key of HMAC in base64",
      "/feeds/2",
      json,
      #"{"feed":"orders","hmacSecretB64":"§","algorithm":"HmacSHA256"}"#,
      "{b43}="
    ),
    told(
      60930,
      "environment in an array",
      "/containers/a1/json",
      json,
      #"{"Id":"a1","Config":{"Env":["PATH=/usr/bin","MYSQL_ROOT_PASSWORD_RW=§","TZ=UTC"]}}"#
    ),
    told(
      60940,
      "Terraform's variables",
      "/workspaces/w1/terraform.tfvars",
      "text/plain",
      "region = \"eu-central-1\"\ninstance_count = 2\ndb_admin_passwd_prod = \"§\"\n"
    ),
    told(
      60950,
      "properties of Spring",
      "/actuator/dump.properties",
      "text/plain",
      "server.port=8080\nspring.mail.password-default=§\nspring.mail.protocol=smtp\n"
    ),
    told(
      60960,
      "private key in one name",
      "/signers/5",
      json,
      #"{"id":5,"curve":"secp256k1","signerPrivKeyHex":"§","label":"hot"}"#,
      "{h64}"
    ),
    told(
      60970,
      "kubeadm's join",
      "/clusters/c1/join",
      json,
      #"{"bootstrapTokenString":"§","caCertHash":"sha256:00","endpoint":"10.0.0.1:6443"}"#,
      "{a6}.{a16}"
    ),
    told(
      60980,
      "RADIUS in XML",
      "/nas/list.xml",
      "application/xml",
      "<nas><client ip=\"10.9.0.1\"><sharedSecretText>§</sharedSecretText></client></nas>"
    ),
    told(
      60990,
      "YAML of a chart",
      "/charts/redis/values.yaml",
      "application/yaml",
      "auth:\n  enabled: true\n  existingSecret: \"\"\n  redisPasswordReplica: §\nreplicas: 3\n"
    ),
    told(
      61000,
      "GraphQL with a long alias",
      "/graphql/viewer",
      json,
      #"{"data":{"viewer":{"login":"ada","newPersonalAccessTokenString":"§"}}}"#,
      "{m40}"
    ),
  ]
}
