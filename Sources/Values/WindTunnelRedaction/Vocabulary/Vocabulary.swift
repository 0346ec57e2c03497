/// The words by which secrets are identified. Names are compared in the form of
/// ``SecretNames/folded(_:)``: letters and digits in lower case, without accents and separators.
enum Vocabulary {
  /// Ends of names whose values are always secrets.
  static let certain: Words = """
    password passwd passphrase passcode passwort kennwort geheimnis lykilorð lykilord contrasena
    contrasenya motdepasse mdp senha palavrapasse palavrachave parola parolachiave wachtwoord
    losenord passord adgangskode kodeord salasana haslo hasło heslo jelszo parool parole slaptazodis
    geslo lozinka zaporka sifre sıfre şifre пароль парола лозинка кодовоеслово κωδικος סיסמה סיסמא
    كلمةالمرور كلمةالسر رمزعبور پسورد पासवर्ड รหัสผ่าน matkhau katasandi パスワード 暗証番号 認証コード シークレット 密码
    密碼 口令 密钥 密鑰 秘钥 令牌 验证码 驗證碼 비밀번호 암호 토큰 인증번호 トークン токен секрет ключдоступа ключapi apikey apisecret
    appkey appsecret applicationkey accesskey accesskeyid secretkey privatekey signingkey
    signingsecret encryptionkey subscriptionkey authkey masterkey storagekey accountkey sharedkey
    sharedaccesskey sharedsecret sharedaccesssignature licensekey deploykey webhookkey hmackey
    jwtsecret clientsecret consumersecret clientassertion sessionid sessid sessionkey credential
    credentials authorization pincode otpcode smscode mfacode totpcode verificationcode recoverycode
    backupcode activationcode pairingcode authcode authorizationcode securitycode recoverykey
    recoveryphrase seedphrase mnemonic mnemonicphrase connectionstring codeverifier devicecode
    usercode samlresponse samlrequest oauthverifier apischlussel zugangsschlussel zugangscode
    sicherheitscode cleapi clesecrete cledapi clesecreta chaveapi chavedeapi chavesecreta claveapi
    clavedeapi clavesecreta clavedeacceso claveprivada chiaveapi chiavesegreta codigodeverificacion
    codedeverification tokendeacceso jetondacces segredo segreto secreto sicherheitstoken privkey
    oobcode scratchcode scratchcodes walletphrase secretcode securityanswer secretanswer sesskey
    jetonacces parol chavedeacesso chaveacesso puk clesprivee cleprivee chavedaapi cheieapi
    nokkelord nyckelord cyfrinair pasahitza katalaluan nenosiri pasahitz ключдоступу ключадоступу
    hashsalt authsalt loggedinsalt noncesalt loggedinkey noncekey bewit wagwoord zugangsschluessel
    schluesselwort apischluessel пароля паролю 비밀키 비밀 非公開鍵 秘密鍵 秘密键 秘密鑰 私钥 私鑰 アクセスキー apiキー 認証キー
    கடவுச்சொல் პაროლი გადաბառ գաղտնաբառ парол құпиясөз құпия паролата лозинку contrasinal pasvorto
    fjalekalimi fjalekalim nywila sandi iphasiwedi ססמה كلمةسر gesloza adgangsord tunnussana
    slaptazodi sifresi parolasi hasla heslem passworter passworte passworden pinkode kodewort
    claveacceso claveusuario clavedeusuario clavepersonal clavetemporal clavenueva claveactual
    claveinternet llaveprivada llavesecreta llaveapi anshobango anshobangou clientkey servicekey
    validationkey decryptionkey deterministickey cipherkey keymaterial apinyckel apinokkel apinogle
    apiavain klucz apiklucz kluczapi magictoken authcookie sessioncookie পাসওয়ার্ড संकेतशब्द
    પાસવર્ડ ਪਾਸਵਰਡ పాస్వర్డ్ ಗುಪ್ತಪದ ಪಾಸ್ವರ್ಡ್ രഹസ്യവാക്ക് പാസ്വേഡ് මුරපදය စကားဝှက် ពាក្យសម្ងាត់
    ລະຫັດຜ່ານ የይለፍቃል ቃልምስጢር ପାସୱାର୍ଡ پاسورڈ پاسورڊ گذرواژه پټنوم کلمهعبور پارول פאראל pasfhocal
    facalfaire passwuert kontrasenyas kalmarsirri sifrə maxfiysoz нууцүг шифра сырсөз серсүз acarsoz
    modpas wachtwurd salasona paswoodu ijambobanga tenimiafina kupuhipa phasewete oroigbaniwole
    κλειδιapi κλειδιπροσβασης μυστικοκλειδι μυστικο مفتاحسري المفتاحالسري مفتاحapi رمزالدخول
    رمزالوصول الرقمالسري رمزالتحقق אסימון אסימוןגישה מפתחapi מפתחסודי קודאימות کلیدapi کلیدمحرمانه
    توکن गुप्तकुंजी टोकन apiकुंजी โทเค็น คีย์api คีย์ลับ รหัสลับ gizlianahtar apianahtari
    erisimanahtari erisimbelirteci titkoskulcs apikulcs hozzaferesikulcs salainenavain kayttoavain
    hemlignyckel hemmelignogle atkomstnyckel hemmelighed hemmelighet adgangsnogle tilgangsnokkel
    toegangssleutel apisleutel geheimesleutel toegangscode khoabimat khoaapi khoatruycap mabimat
    cvv cvc cvv2 cheiesecreta cheieprivata cheieacces chiavediaccesso chiaveprivata codicediaccesso
    codigodeacceso codigoacceso codigodeacesso cledacces codedacces phrasesecrete apiklic tajnyklic
    pristupovyklic apikluc tajnykluc pristupovykluc apikljuc tajnikljuc pristupnikljuc skrivnikljuc
    kunciapi kuncirahasia kunciakses секретныиключ закрытыиключ приватныиключ апиключ apiключ
    кодподтверждения пинкод секретнииключ таємнииключ таенключ тајникључ сакретныключ パスフレーズ 合言葉 暗号鍵
    暗号キー 授权码 授權碼 权杖 權杖 api金鑰 私密金鑰 秘密金鑰 动态码 激活码 激活碼 存取金鑰 접근키 액세스키 시크릿 인증키 개인키 패스워드 서비스키 api키
    """

  /// Names of secrets that must match as a whole, because too many other names end with them.
  static let certainWholes: Words = """
    pwd dbpwd userpwd pswd otp totp jwt csrf xsrf xcsrf ssn hmac passwords apikeys
    accesstokens refreshtokens apitoken apitokens xfunctionskey xauth setcookie pgpassword
    mysqlpwd keystorepass truststorepass bindpw rootpw userpw dbpass smtppass mailpass requirepass
    masterauth authcode sas sastoken secrettext rspauth psk wpapsk accesspin sudopassword
    keysbase64 recoverykeysbase64 unsealkeysb64 unsealkeyshex pepper
    """

  /// The words before `token`, `code` or `cookie` that make it unambiguous.
  static let tokenOwners: Words = """
    access refresh id auth authorization authentication authenticity session csrf xsrf login
    signin api bearer device security secret user client oauth oauth2 personal deploy deployment
    registration registry reset verification confirmation invite invitation activation upload
    download service account admin root bot app application webhook push fcm apns vault git github
    gitlab npm pypi jwt sso saml identity guest customer private remember rememberme persistent
    recovery onetime temporary temp temporal bootstrap join cluster agent runner worker publish
    write read share sharing unsubscribe impersonation exchange handoff handshake ws websocket
    stream socket playback video payment checkout billing card integration installation hub my our
    stored issued new old current valid plain raw signed encrypted hashed
    """

  /// Names whose values are often harmless. The format of the value or its neighbours decide.
  static let ambiguous: [String: Sense] = meanings([
    .token: """
    token tokens session sessions sid sig sign signature signatures auth bearer assertion secret
    secrets key keys ticket jeton clave chave chiave cle schlussel sleutel nyckel ключ jws jwe
    dpop secretid webhookid подпись firma signatur handtekening 签名 署名 キー 키 authentication appid
    """,
    .cookie: "cookie cookies",
    .code: "pin pins pinnumber otppin mpin tan einmalcode codepin 验证",
    .pass: "pass pw passe pas sifra",
    .exchanged: "code",
    .longKey: "primarykey secondarykey tertiarykey",
    .card: "cardnumber cardno ccnumber creditcard creditcardnumber pan kartennummer",
  ]) { one, _ in one }

  /// Ends of names that are harmless although they end like a secret's name.
  static let harmless: Words = """
    pagetoken pagingtoken nexttoken previoustoken prevtoken continuationtoken paginationtoken
    sitekey publishablekey pubkey hostkey vapidkey applicationserverkey verifykey cancellationtoken
    synctoken nextsynctoken cursortoken deltatoken skiptoken offsettoken scrolltoken presettoken
    starttoken endtoken stoptoken eostoken bostoken unktoken padtoken septoken clstoken masktoken
    designtoken changetoken resumetoken maxtoken publickeytoken accesscontrolallowcredentials
    withcredentials publickey foreignkey partitionkey sortkey routingkey idempotencykey edsignature
    dsasignature surrogatekey cachekey dedupekey groupkey localekey translationkey pressedkey
    """

  /// Suffixes of a secret's name that do not change its meaning, unlike a policy or a length.
  static let tails = """
    confirmation confirmed confirm repeat repeated again verify retype hash hashed digest salt
    value values val plaintext cleartext clear plain text encrypted enc encoded base64 b64 base
    hex raw str string current prod production live test dev staging sandbox primary secondary
    master backup default bytes pem field input env neu alt neue alte nueva nuevo actual
    wiederholen bestatigen bcrypt sha256 md5 确认 確認 hasheado id0
    """
    .split { $0 == " " || $0 == "\n" }.map(String.init)

  /// Members of an object with a secret's name that describe the secret.
  static let about: Words = """
    type tokentype kind scheme scope scopes alg algorithm expires expiresin expiresat expiry exp
    created createdat issuedat updatedat lastusedat status name label title description enabled
    required message messages error errors minlength maxlength length pattern format placeholder
    hint policy strength provider version ttl use kty crv kid keyid keytype keysize bits usage
    """

  /// Values that are never secrets.
  static let plainValues: Words = """
    true false null nil none undefined yes no bearer basic * include omit same-origin redacted
    [redacted] [filtered] n/a
    """

  /// Words of schemas and settings in place of a secret.
  static let schemaWords: Words = """
    string text on off integer int number boolean bool object array varchar char uuid required
    optional hidden masked header query cookie apikey http https oauth2 openidconnect enabled
    disabled unknown invalid valid missing expired na default password token secret key filtered
    your_api_key your-api-key your_token your-token your_password changeme xxx xxxx xxxxx xxxxxx
    example sample placeholder todo empty set unset ok readonly writeonly nullable string! string?
    String
    """

  /// Technical terms with digits, which are not random.
  static let terms: Words = """
    base64 base32 base16 base58 md5 sha1 sha2 sha3 sha224 sha256 sha384 sha512 utf8 utf16 utf32
    iso88591 argon2 argon2id argon2i pbkdf2 oauth oauth1 oauth2 ed25519 x509 pkcs1 pkcs8 pkcs12
    aes128 aes192 aes256 hs256 hs384 hs512 rs256 rs384 rs512 es256 es384 es512 ps256 p256 p384 p521
    rsa2048 rsa4096 rfc6749 rfc6750 rfc7519 javascript es6 es2015 http2 http3 h264 h265 mp3 mp4 ipv4
    ipv6 x86 x64 arm64 win32 win64 log4j k8s i18n l10n a11y erc20 erc721 secp256k1 curve25519 bcrypt
    scrypt blake2b crc32 x25519 tls12 tls13 w3c gpt4 gpt4o 2fa mfa u2f fido2 web3 s3 ec2
    """

  /// The names next to a value that determine the kind of message.
  static let neighbours: [String: Neighbours] = meanings(
    [
      .login: """
      user username login email userid uid account accountid userlogin loginname benutzer usuario
      utilisateur benutzername password passwd pwd rememberme mail identifier mobile phone userpw
      """,
      .grant: """
      granttype codeverifier redirecturi clientid clientsecret tokentype expiresin expiresat
      accesstoken refreshtoken idtoken scope expires expiry
      """,
      .paging: """
      next previous prev cursor hasmore page pagesize perpage limit offset total totalcount items
      results nextpage hasnextpage startcursor endcursor continuation
      """,
      .published: """
      keyid integrity shasum verified verification sha sha256 digest checksum publickey tree
      parenthash blocknumber blockhash hash blockheight slot gas certificate
      """,
      .exchange: "granttype codeverifier redirecturi",
      .lexer: "startoffset endoffset startindex endindex position scopes lexeme kind",
      .address: """
      city state country street district postoffice locality region taluk lat lon latitude
      """,
    ]
  ) { $0.union($1) }

  /// Members that contain messages and labels by the names of fields.
  static let telling: Words = """
    error errors fielderrors validation validationerrors violations messages labels placeholders
    hints translations strings descriptions titles i18n l10n locale locales messagesen glossary
    texts helptexts tooltips captions copy schema schemas properties definitions securityschemes
    columns fields securitydefinitions parametersdoc documentation docs enums
    """

  /// Whether a member contains messages and labels. The length excludes most names.
  static func isTelling(_ key: String) -> Bool {
    4...20 ~= key.utf8.count && tellingStarts.contains(key.utf8.first.map(\.asciiLowercased) ?? 0)
      && telling.contains(SecretNames.folded(key))
  }

  private static let tellingStarts = Set(telling.all.compactMap(\.utf8.first))

  /// The names of contact data and of people, for the redaction of personal data.
  static let contacts: Words = "email mail emailaddress phone phonenumber mobile telephone fax"
  static let persons: Words = """
    name firstname lastname fullname givenname familyname middlename surname nickname displayname
    username birthname maidenname birthday birthdate dateofbirth dob ssn iban street address
    addressline1 addressline2 postcode postalcode zip zipcode tel
    """

  /// Words in a header field's name that make its value a credential.
  static let headerWords: Words = """
    key apikey token secret auth authentication authenticate password passwd pwd signature sig jwt
    credential credentials session sessionid sid otp pin hmac api assertion csrf xsrf appcheck
    license passcode bearer accesskey identity dpop sign authtoken usertoken apitoken
    authorization oidc tkn
    """

  /// Header fields that contain a credential although their names do not indicate it.
  static let headers: Words = """
    xhoneycombteam xwpnonce xplexclientidentifier xgdcauthsst xamzdate3 xcfaccess xtransactionpin
    xmbxapi xgpx xredmineswitchuser xparserestapi xsfdcsession xnexmotrace ddapi xlinesig
    xelastictoken
    """

  /// Words after a secret's name that change its meaning.
  static let aboutSecrets: Words = """
    policy policies length min max minimum maximum strength url uri endpoint link type types count
    counts expiry expires expiration expired expire age id ids name names hint hints required
    enabled disabled changed change updated created issued rotated at date time timestamp label
    title reset rotation ttl ref reference path file filename arn version format rule rules status
    state error errors message placeholder help description attempts attempt limit limits
    requirements requirement complexity manager provider providers source method methods mode
    algorithm alg scheme scope scopes store storage vault category level score prompt visible
    hidden show toggle mask field fields column parameter param header page screen view form
    template usage used needed supported support forgotten forgot last first lifetime validity
    duration days hours minutes seconds history set present exists valid invalid feature flag
    protected protection less free encryption generator size bits region zone owner user username
    email tests test passed kind group role client service tokens per remaining
    """

  /// Header fields that contain no credential although their names include such a word.
  static let harmlessHeaders: Words = """
    secwebsocketkey secwebsocketaccept idempotencykey xidempotencykey surrogatekey xcachekey
    cachekey xsurrogatekey key publickeypins publickeypinsreportonly acceptsignature
    signatureinput wwwauthenticate proxyauthenticate xamzserversideencryptionawskmskeyid
    xamzserversideencryptioncustomerkeymd5 xgoogencryptionkeysha256 accesscontrolallowheaders
    accesscontrolexposeheaders accesscontrolrequestheaders accesscontrolallowcredentials
    authenticationinfo xapiversion xsessionaffinity originagentcluster permissionspolicy xkey
    xroutingkey xpartitionkey xapirequestid
    """

  /// Path segments that are followed by a secret.
  static let pathOwners = Words(all: onceOwners.all.union(otherOwners.all))
  private static let otherOwners: Words = """
    verify invite invitation invitations accept join share hooks webhook webhooks services claim
    validate sso download
    """

  /// Path segments that are followed by a random value for one use, even one without digits.
  static let onceOwners: Words = """
    reset resetpassword passwordreset verifyemail emailverification confirm confirmation activate
    activation magic magiclink unsubscribe onetime otl recover recovery restore unlock
    """

  /// Whether a procedure authenticates its caller by its parameters.
  static func isLogin(_ method: String) -> Bool {
    let method = method.lowercased()
    return ["login", "logon", "signin", "authenticate", "auth", "authkeyexpires"].contains {
      method.hasSuffix($0)
    }
  }

  /// Returns the distinct words of a text.
  static func words(_ text: String) -> Set<String> {
    Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
  }

  /// Returns the meaning of each word. The meanings of a word in several lists are combined.
  private static func meanings<Meaning: Hashable>(
    _ lists: [Meaning: String],
    _ both: (Meaning, Meaning) -> Meaning
  ) -> [String: Meaning] {
    let pairs = lists.flatMap { meaning, text in words(text).map { ($0, meaning) } }
    return Dictionary(pairs, uniquingKeysWith: both)
  }
}

/// A set of words written as a literal.
struct Words: Sendable {
  let all: Set<String>

  func contains(_ word: String) -> Bool { all.contains(word) }
}

extension Words: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { all = Vocabulary.words(text) }
}
