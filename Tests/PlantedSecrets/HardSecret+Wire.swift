internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"
  private static let plain = "text/plain; charset=utf-8"

  /// Secrets in commands and protocols.
  static let wire: [HardSecret] = commands + protocols

  private static let commands: [HardSecret] = [
    told(
      66610,
      "curl with a user",
      "/docs/curl",
      "text/markdown",
      "```sh\ncurl -sS -u ci:§ https://api.example.test/builds\n```\n",
      "{m20}"
    ),
    told(
      66620,
      "curl with a cookie",
      "/docs/curl2",
      json,
      #"{"command":"curl -b 'sessionid=§' https://app.example.test/me"}"#,
      "{a32}"
    ),
    told(
      66630,
      "wget with an option",
      "/docs/wget",
      plain,
      "wget --user=ada --password=§ https://files.example.test/a.zip\n"
    ),
    told(
      66640,
      "HTTPie",
      "/docs/httpie",
      plain,
      "http -a ada:§ POST api.example.test/items n=1\n",
      "{m18}"
    ),
    told(
      66650,
      "psql behind a variable",
      "/docs/psql",
      plain,
      "PGPASSWORD=§ psql -h db1 -U app -c 'select 1'\n"
    ),
    told(
      66660,
      "mysql with a short option",
      "/docs/mysql",
      json,
      #"{"cron":"0 3 * * * mysqldump -uroot -p§ shop | gzip > /backup/shop.gz"}"#,
      "{m16}"
    ),
    told(
      66670,
      "sshpass",
      "/docs/sshpass",
      plain,
      "+ sshpass -p § ssh deploy@web1 uptime\n",
      "{m16}"
    ),
    told(
      66680,
      "openssl",
      "/docs/openssl",
      plain,
      "openssl pkcs12 -export -in c.pem -passout pass:§ -out c.p12\n"
    ),
    told(
      66690,
      "PowerShell",
      "/docs/powershell",
      plain,
      "$s = ConvertTo-SecureString '§' -AsPlainText -Force\n",
      "Glacier-Tram-77"
    ),
    told(
      66700,
      "docker login",
      "/docs/docker",
      plain,
      "docker login -u ci -p § registry.example.test\n",
      "{m20}"
    ),
    told(
      66710,
      "redis-cli",
      "/docs/redis",
      json,
      #"{"args":["redis-cli","-h","cache","-a","§","ping"]}"#
    ),
    told(
      66720,
      "statement of SQL",
      "/docs/sql",
      "application/sql",
      "CREATE ROLE report LOGIN PASSWORD '§' VALID UNTIL '2031-01-01';\n"
    ),
    told(
      66730,
      "statement of MySQL",
      "/docs/sql2",
      json,
      #"{"query":"CREATE USER 'app'@'%' IDENTIFIED BY '§'","time_ms":4}"#
    ),
  ]

  private static let protocols: [HardSecret] = [
    sent(
      66810,
      "login of GraphQL with literals",
      "/graphql/saleor",
      json,
      #"{"query":"mutation { tokenCreate(email: \"a@b.test\", password: \"§\") { token } }"}"#,
      "Walnut-Ferry-83"
    ),
    sent(
      66820,
      "XML-RPC of WordPress",
      "/xmlrpc.php",
      "text/xml",
      """
      <methodCall><methodName>wp.getUsersBlogs</methodName><params>
      <param><value><struct><member><name>username</name><value>ada</value></member>
      <member><name>password</name><value><string>§</string></value></member></struct></value>
      </param></params></methodCall>
      """,
      "Cobalt Heron 914"
    ),
    sent(
      66830,
      "WS-Trust's secret",
      "/sts",
      "application/soap+xml",
      """
      <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>
      <t:Entropy xmlns:t="http://schemas.xmlsoap.org/ws/2005/02/trust">
      <t:BinarySecret Type="http://schemas.xmlsoap.org/ws/2005/02/trust/Nonce">§</t:BinarySecret>
      </t:Entropy></s:Body></s:Envelope>
      """,
      "{b43}="
    ),
    sent(
      66840,
      "WS-Security's password",
      "/soap/orders",
      "text/xml; charset=utf-8",
      """
      <soap:Header><wsse:Security><wsse:UsernameToken><wsse:Username>ada</wsse:Username>
      <wsse:Password Type="#PasswordText">§</wsse:Password></wsse:UsernameToken></wsse:Security>
      </soap:Header>
      """
    ),
    sent(
      66850,
      "SAML's answer in a form",
      "/saml/acs",
      form,
      "SAMLResponse=⟪<samlp:Response><ds:SignatureValue>§</ds:SignatureValue></samlp:Response>⟫"
        + "&RelayState=r1",
      "{m86}"
    ),
    told(
      66860,
      "device's code",
      "/oauth/device/code",
      json,
      #"{"device_code":"§","verification_uri":"https://a.example.test/d","expires_in":900}"#,
      "{u40}"
    ),
    sent(
      66870,
      "verifier of PKCE",
      "/oauth/token/pkce",
      form,
      "grant_type=authorization_code&client_id=spa&code=c1&code_verifier=§",
      "{u64}"
    ),
    sent(
      66880,
      "assertion of a client",
      "/oauth/token/jwt",
      form,
      "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-"
        + "assertion-type%3Ajwt-bearer&client_assertion=eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJhIn0.§",
      "{u86}"
    ),
    asked(
      66890,
      "cookie of ASP.NET",
      "/mvc/home",
      ["Cookie": "lang=de; .AspNetCore.Identity.Application=§"],
      "CfDJ8{u120}"
    ),
    asked(
      66900,
      "cookie of WordPress that is set",
      "/wp-login",
      [:],
      "{h64}",
      answerHeaders: [
        "Set-Cookie": "wordpress_logged_in_3f0c=ada%7C1900000000%7Cabc%7C§; path=/; HttpOnly"
      ]
    ),
    sent(
      66910,
      "multipart of S3's form",
      "/bucket-upload",
      "multipart/form-data; boundary=bb",
      """
      --bb\r\nContent-Disposition: form-data; name="key"\r\n\r\na.jpg\r
      --bb\r\nContent-Disposition: form-data; name="x-amz-signature"\r\n\r\n§\r
      --bb\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nJPEG\r
      --bb--\r\n
      """,
      "{h64}"
    ),
    told(
      66920,
      "user of LDIF",
      "/ldap/export.ldif",
      "text/plain",
      "dn: uid=bo,dc=example,dc=test\nobjectClass: person\nuserPassword:: ⟦§⟧\nsn: Bo\n",
      "{m24}"
    ),
    told(
      66930,
      "transcript of FTP",
      "/logs/ftp",
      plain,
      "220 ready\nUSER ada\n331 need it\nPASS §\n230 logged in\n",
      "{m16}"
    ),
    told(
      66940,
      "transcript of SMTP",
      "/logs/smtp",
      plain,
      "C: EHLO a.test\nS: 250 AUTH PLAIN\nC: AUTH PLAIN ⟦\u{0}bot\u{0}§⟧\nS: 235 ok\n",
      "{m20}"
    ),
    told(
      66950,
      "transcript of IMAP",
      "/logs/imap",
      plain,
      "* OK IMAP4rev1\na1 LOGIN ada@example.test §\na1 OK done\n",
      "{m16}"
    ),
    told(
      66960,
      "list of properties of Apple",
      "/mdm/profile",
      "application/x-plist",
      """
      <plist version="1.0"><dict><key>SSID_STR</key><string>Office</string>
      <key>Password</key><string>§</string><key>AutoJoin</key><true/></dict></plist>
      """,
      "Linden-Quay-406"
    ),
    told(
      66970,
      "address of JDBC with parameters",
      "/actuator/configprops",
      json,
      #"{"url":"jdbc:sqlserver://sql1:1433;databaseName=shop;user=sa;password=§;encrypt=true"}"#,
      "Mulde34.quarzal3"
    ),
    told(
      66980,
      "address of a one-time password in a picture's",
      "/2fa/setup",
      "text/html",
      #"<img alt="QR" src="/qr?text=otpauth%3A%2F%2Ftotp%2FT%3Aeva%3Fsecret%3D§%26digits%3D6">"#,
      "{q32}"
    ),
    told(
      66990,
      "salt of WordPress",
      "/wp-config.php.bak",
      plain,
      "<?php\ndefine( 'DB_NAME', 'wp' );\ndefine( 'SECURE_AUTH_SALT', '§' );\n",
      "7ulz/MFHmM}%d1~{m12};)*E~4!}X"
    ),
    told(
      66995,
      "salt of Drupal",
      "/settings.php~",
      plain,
      "<?php\n$settings['hash_salt'] = '§';\n$settings['file_public_path'] = 'files';\n",
      "{u74}"
    ),
  ]
}
