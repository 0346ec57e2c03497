internal import WindTunnel

extension HarmlessAnswer {
  private static let text = "a word of a text"

  static let texts: [HarmlessAnswer] = [
    get(
      text,
      "a read-me about passwords and tokens",
      "https://code.example.test/raw/README.md",
      """
      ## Authentication

      Passwords are hashed with Argon2. A token lives for 15 minutes; the session cookie is
      `HttpOnly`. Keys: one per project. Secret: none is stored.

      | header | meaning |
      |---|---|
      | `X-Token` | the token of the session |
      | `X-Signature` | signature of the body |

      """,
      "text/markdown"
    ),
    get(
      text,
      "a form to sign in",
      "https://www.example.test/login",
      """
      <!doctype html>
      <title>Sign in</title>
      <form action="/login" method="post">
        <label for="password">Password</label>
        <input type="text" name="username" autocomplete="username">
        <input type="password" name="password" id="password" autocomplete="current-password">
        <input type="text" name="pin" inputmode="numeric" placeholder="PIN" value="">
        <button name="session" value="new">Sign in</button>
        <a href="/password/reset">Forgot your password?</a>
      </form>
      """,
      "text/html; charset=utf-8"
    ),
    get(
      text,
      "a script that fetches a token",
      "https://www.example.test/assets/session.js",
      """
      const token = await getToken();
      let password = form.elements.password.value;
      const key = event.key === "Enter" ? "submit" : null;
      export async function signIn({ login, password, pin }) {
        const session = await post("/session", { login, password, pin });
        if (!session.token) throw new AuthError("auth/missing-token");
        headers.Authorization = `Bearer ${session.token}`;
        sessionStorage.setItem("token", session.token);
      }

      """,
      "text/javascript"
    ),
    get(
      text,
      "a page of a manual",
      "https://man.example.test/1/gale-login",
      """
      NAME
             gale-login - obtain a session token

      SYNOPSIS
             gale login [--token-file FILE] [--password-stdin] [--key=NAME]

      OPTIONS
             --password-stdin
                    Read the password from standard input.
             --token-file FILE
                    Where the token is written (default: ~/.config/gale/token).

      ENVIRONMENT
             GALE_TOKEN  Token to use in place of a session.

      """,
      "text/plain"
    ),
    get(
      text,
      "a log of sign-ins",
      "https://logs.example.test/auth/tail",
      """
      2026-11-22T10:00:01Z INFO  auth: password accepted, session created
      2026-11-22T10:00:02Z WARN  auth: token expired, code=401 retry=1
      2026-11-22T10:00:02Z INFO  auth: token refreshed, ttl=900s
      2026-11-22T10:00:09Z ERROR auth: signature mismatch; key not found
      2026-11-22T10:00:11Z INFO  auth: password=changed session=closed pin=unset

      """,
      "text/plain"
    ),
    get(
      text,
      "notes of a release",
      "https://code.example.test/repos/gale/releases/latest",
      """
      {"tag_name":"v2.4.0","name":"Password reset and token rotation","draft":false,\
      "body":"### Fixed\\n- Password: was trimmed (#812)\\n- Token: rotated twice (#815)\\n\
      - Session key is no longer logged\\n"}
      """
    ),
    get(
      text,
      "questions that are often asked",
      "https://help.example.test/api/search?q=password",
      """
      {"hits":[{"title":"How do I reset my password?","slug":"reset-password"},\
      {"title":"Where do I find my API key?","slug":"api-key"},\
      {"title":"What is a session token: a short guide","slug":"session-token"}],"total":3}
      """
    ),
    get(
      text,
      "completions of an editor",
      "https://lsp.example.test/completions/pass",
      """
      {"isIncomplete":false,"items":[{"label":"password","kind":5,"detail":"String?"},\
      {"label":"passwordField","kind":6,"detail":"UITextField"},\
      {"label":"passcode","kind":5,"insertText":"passcode"}]}
      """
    ),
    get(
      text,
      "the scopes that one may ask for",
      "https://id.example.test/scopes",
      """
      {"scopes":["secrets:read","secrets:write","tokens:revoke","keys.list","sessions.manage",\
      "password:change"],"roles":{"auditor":["secrets:read"],"token":["tokens:revoke"]},\
      "permission":{"key":"secrets:read","auth":"required"}}
      """
    ),
    get(
      text,
      "flags of features",
      "https://flags.example.test/api/client/features",
      """
      {"version":2,"features":[{"name":"password-less","enabled":true,"strategies":[]},\
      {"name":"token-rotation-v2","enabled":false},{"key":"session-replay","enabled":true,\
      "variant":"secret-menu"}]}
      """
    ),
    get(
      text,
      "the members of an enumeration",
      "/v1/meta/credential-kinds",
      """
      {"credential_kinds":["PASSWORD","TOKEN","API_KEY","PIN","COOKIE","SIGNATURE"],\
      "default":{"auth":"PASSWORD","token":"OPTIONAL","secret":"NONE"}}
      """
    ),
    get(
      text,
      "the head of an empty table",
      "https://files.example.test/import-template.csv",
      "login,password,pin,token,session,card_number,secret_question\r\n",
      "text/csv"
    ),
    post(
      text,
      "a part of a form that names a field",
      "https://forms.example.test/fields/import",
      """
      --gale\r\nContent-Disposition: form-data; name="token"\r\n\r\nrequired\r
      --gale\r\nContent-Disposition: form-data; name="password"\r\n\r\noptional\r
      --gale\r\nContent-Disposition: form-data; name="file"; filename="password.csv"\r
      Content-Type: text/csv\r\n\r\nlabel,kind\r\nPassword,text\r\n\r\n--gale--\r\n
      """,
      as: "multipart/form-data; boundary=gale",
      #"{"token":"required","password":"optional","fields":1}"#
    ),
  ]

  private static let label = "a label or a complaint"

  static let labels: [HarmlessAnswer] = [
    get(
      label,
      "German labels",
      "https://www.example.test/locales/de.json",
      """
      {"password":"Passwort","login.token":"Token eingeben","session":"Sitzung","secret":"Geheimnis",\
      "pin":"Geheimzahl","sign_in":"Anmelden","key":"Schlüssel","code":"Bestätigungscode",\
      "passwordConfirm":"Passwort wiederholen"}
      """
    ),
    get(
      label,
      "French labels",
      "https://www.example.test/locales/fr.properties",
      """
      password=Mot de passe
      token=Jeton
      session.expired=Votre session a expiré
      pin=Code secret
      api.key=Clé d'API
      auth=Authentification

      """,
      "text/plain; charset=utf-8"
    ),
    get(
      label,
      "Spanish labels of an Android app",
      "https://www.example.test/locales/es/strings.xml",
      """
      <?xml version="1.0" encoding="utf-8"?>
      <resources>
        <string name="password">Contraseña</string>
        <string name="token">Ficha</string>
        <string name="session_expired">La sesión ha caducado</string>
        <string name="pin">PIN</string>
        <string name="secret">Secreto</string>
      </resources>
      """,
      "application/xml"
    ),
    get(
      label,
      "Japanese labels",
      "https://www.example.test/locales/ja.yml",
      """
      ja:
        password: パスワード
        token: トークン
        session: セッション
        secret: 秘密
        pin: 暗証番号

      """,
      "application/yaml"
    ),
    get(
      label,
      "labels of a gettext catalogue",
      "https://www.example.test/locales/it.po",
      """
      msgid "Password"
      msgstr "Parola d'ordine"

      msgctxt "token"
      msgid "Token: %s"
      msgstr "Gettone: %s"

      """,
      "text/x-gettext-translation"
    ),
    post(
      label,
      "what a model of Rails complains of",
      "https://app.example.test/users.json",
      #"{"user":{"login":"","password":"","password_confirmation":""}}"#,
      status: 422,
      """
      {"errors":{"password":["is too short (minimum is 12 characters)","can't be blank"],\
      "token":["is invalid"],"pin":["is not a number"]}}
      """
    ),
    post(
      label,
      "what a framework of PHP complains of",
      "https://app.example.test/api/register",
      "login=&password=&pin=",
      as: "application/x-www-form-urlencoded",
      status: 422,
      """
      {"message":"The password field is required. (and 1 more error)","errors":{\
      "password":["The password field is required."],"pin":["The pin field is required."]}}
      """
    ),
    post(
      label,
      "a problem with its parameters",
      "/v1/sessions/problems",
      #"{"grant":"device"}"#,
      status: 400,
      """
      {"type":"https://api.example.test/problems/invalid-token","title":"Token missing",\
      "status":400,"detail":"No token was sent.","invalid-params":[\
      {"name":"token","reason":"must be present"},{"name":"secret","reason":"unknown"}]}
      """,
      "application/problem+json"
    ),
    post(
      label,
      "what a token endpoint refuses",
      "https://id.example.test/oauth2/refusals",
      "grant_type=password&scope=openid",
      as: "application/x-www-form-urlencoded",
      status: 400,
      """
      {"error":"unsupported_grant_type","error_description":"The password grant is disabled.",\
      "token_type":"Bearer"}
      """
    ),
    post(
      label,
      "what a Python service complains of",
      "https://py.example.test/token",
      "{}",
      status: 422,
      """
      {"detail":[{"type":"missing","loc":["body","password"],"msg":"Field required","input":null},\
      {"type":"string_too_short","loc":["body","token"],"msg":"String should have at least 8 \
      characters","ctx":{"min_length":8}}]}
      """
    ),
  ]
}
