internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let plain = "text/plain; charset=utf-8"
  private static let xml = "application/xml"

  /// Secrets in addresses and in files of tools.
  static let others: [HardSecret] = addresses + files

  private static let addresses: [HardSecret] = [
    told(
      66010,
      "address of MongoDB in a message",
      "/jobs/mongo",
      json,
      #"{"level":"warn","msg":"retry mongodb+srv://app:§@c0.example.test/shop?w=majority"}"#
    ),
    told(
      66020,
      "address of Redis without a user",
      "/env/redis",
      plain,
      "CACHE_TTL=60\nCACHE_URL=redis://:§@cache.example.test:6379/0\n"
    ),
    told(
      66030,
      "address of AMQP in YAML",
      "/celery.yaml",
      "application/yaml",
      "broker: amqps://worker:§@mq.example.test:5671/%2Fprod\nprefetch: 4\n"
    ),
    told(
      66040,
      "address of a camera",
      "/cameras/2",
      json,
      #"{"name":"gate","stream":"rtsp://viewer:§@10.0.4.2:554/ch1","fps":12}"#,
      "{m12}"
    ),
    told(66050, "address of SMTP", "/mailer/dsn", plain, "MAILER_DSN=smtp://bot:§@mx.test:587\n"),
    told(
      66060,
      "settings of ODBC",
      "/odbc/1",
      plain,
      "DRIVER={ODBC Driver 18 for SQL Server};SERVER=sql1,1433;UID=report;PWD=§;Encrypt=yes"
    ),
    told(
      66070,
      "settings of Event Hubs",
      "/eventhub/1",
      json,
      """
      {"hub":"Endpoint=sb://n1.example.test/;SharedAccessKeyName=Root;SharedAccessKey=§=;\
      EntityPath=e1"}
      """,
      "{m43}"
    ),
    told(
      66080,
      "JDBC of Oracle",
      "/jdbc/1",
      json,
      #"{"datasource":{"url":"jdbc:oracle:thin:billing/§@//ora1.example.test:1521/ORCL"}}"#,
      "{m16}"
    ),
    told(
      66090,
      "JDBC of MySQL with a query",
      "/jdbc/2",
      plain,
      "Opening jdbc:mysql://db1:3306/shop?user=app&password=§&useSSL=true\n"
    ),
    told(
      66100,
      "Sentry's old address with two keys",
      "/sentry/1",
      json,
      #"{"dsn":"https://0a1b2c3d4e5f60718293a4b5c6d7e8f9:§@sentry.example.test/4"}"#,
      "{h32}"
    ),
    told(
      66110,
      "remote of Git with a token",
      "/git/remotes",
      plain,
      "origin\thttps://oauth2:§@git.example.test/shop/web.git (push)\n",
      "{u20}"
    ),
    told(
      66120,
      "private address of a calendar",
      "/calendars/3",
      json,
      #"{"ical":"https://calendar.example.test/calendar/ical/a%40b.test/private-§/basic.ics"}"#,
      "{h32}"
    ),
    told(
      66130,
      "webhook of Google Chat",
      "/chat/hooks",
      json,
      #"{"url":"https://chat.googleapis.com/v1/spaces/AAA/messages?key=k1&token=§"}"#,
      "{u43}"
    ),
    told(
      66140,
      "webhook of Slack in a sentence",
      "/runbook/slack",
      plain,
      "Alerts go to https://hooks.slack.com/services/T0EXAMPLE0/B0EXAMPLE0/§ for now.\n",
      "{m24}"
    ),
    told(
      66150,
      "webhook of Discord in YAML",
      "/alerts.yaml",
      "application/yaml",
      "receivers:\n- name: d\n  url: https://discord.com/api/webhooks/112233445566778899/§\n",
      "{u68}"
    ),
    told(
      66160,
      "meeting with its password",
      "/meetings/9",
      json,
      #"{"id":9,"join_url":"https://us02web.zoom.us/j/81234567890?pwd=§","type":2}"#,
      "{m32}"
    ),
    asked(
      66170,
      "address of CloudFront",
      "/video/1.m3u8?Expires=1900000000&Signature=§&Key-Pair-Id=K1",
      [:],
      "{m170}",
      answer: "#EXTM3U\n",
      type: "application/vnd.apple.mpegurl"
    ),
    told(
      66180,
      "Firebase's link of a reset",
      "/mail/preview",
      "text/html",
      "<a href=\"https://a.example.test/action?mode=resetPassword&amp;oobCode=§&amp;lang=de\">x</a>",
      "{u54}"
    ),
    told(
      66190,
      "code for a login without a password in a path",
      "/mail/magic",
      json,
      #"{"html":"<a href=\"https://app.example.test/magic-login/§\">Log in</a>"}"#,
      "{u43}"
    ),
    told(
      66200,
      "TOTP's address with other members",
      "/mfa/enrol",
      json,
      #"{"qr":"otpauth://totp/Shop:ada?algorithm=SHA1&digits=6&secret=§&issuer=Shop"}"#,
      "{q32}"
    ),
    told(
      66210,
      "Wi-Fi's QR text",
      "/guest/wifi",
      json,
      #"{"svg_title":"WIFI:S:Guest;T:WPA;P:§;H:false;;"}"#,
      "Otter-Pond-5520"
    ),
  ]

  private static let files: [HardSecret] = [
    told(
      66310,
      "kubeconfig's token",
      "/kube/config",
      "application/yaml",
      """
      apiVersion: v1
      kind: Config
      users:
      - name: ci
        user:
          token: §
      current-context: ci
      """,
      "{u64}"
    ),
    told(
      66320,
      "Kubernetes Secret",
      "/api/v1/namespaces/a/secrets/db",
      json,
      #"{"kind":"Secret","metadata":{"name":"db"},"data":{"DSN":"⟦postgres://app:§@db1/shop⟧"}}"#
    ),
    told(
      66330,
      "Docker's auths",
      "/docker/config.json",
      json,
      #"{"auths":{"registry.example.test":{"auth":"⟦ci:§⟧"}},"credsStore":""}"#,
      "{m20}"
    ),
    told(
      66340,
      "Maven's settings",
      "/maven/settings.xml",
      xml,
      """
      <settings><servers><server><id>releases</id><username>ci</username>
      <password>§</password></server></servers></settings>
      """
    ),
    told(
      66350,
      "NuGet's configuration",
      "/nuget/nuget.config",
      xml,
      """
      <configuration><packageSourceCredentials><feed><add key="Username" value="ci"/>
      <add key="ClearTextPassword" value="§"/></feed></packageSourceCredentials></configuration>
      """
    ),
    told(
      66360,
      "Composer's auth.json",
      "/composer/auth.json",
      json,
      #"{"http-basic":{"repo.example.test":{"username":"ci","password":"§"}}}"#
    ),
    told(
      66370,
      "pip's index",
      "/pip/pip.conf",
      plain,
      "[global]\nindex-url = https://ci:§@pypi.example.test/simple\ntimeout = 60\n"
    ),
    told(
      66380,
      "Yarn's settings",
      "/yarn/.yarnrc.yml",
      "application/yaml",
      "nodeLinker: node-modules\nnpmScopes:\n  shop:\n    npmAuthToken: §\n",
      "{m36}"
    ),
    told(
      66390,
      "npm's settings",
      "/npm/.npmrc",
      plain,
      "save-exact=true\n//npm.example.test/:_authToken=§\n",
      "{h8}-{h4}-{h4}-{h4}-{h12}"
    ),
    told(
      66400,
      "PostgreSQL's file of passwords",
      "/home/.pgpass",
      plain,
      "# host:port:db:user:pw\ndb1.example.test:5432:shop:app:§\n",
      "{m18}"
    ),
    told(
      66410,
      "file of netrc in one line",
      "/home/.netrc",
      plain,
      "machine git.example.test login ci password §\n",
      "{m20}"
    ),
    told(
      66420,
      "credentials of Git",
      "/home/.git-credentials",
      plain,
      "https://ada:§@git.example.test\n",
      "{u20}"
    ),
    told(
      66430,
      "credentials of AWS",
      "/home/aws-credentials",
      plain,
      "[default]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = §\n",
      "{b40}"
    ),
    told(
      66440,
      "WordPress's configuration",
      "/wp/wp-config.php.bak",
      plain,
      "<?php\ndefine( 'DB_NAME', 'wp' );\ndefine( 'DB_PASSWORD', '§' );\n$table_prefix = 'wp_';\n"
    ),
    told(
      66450,
      "key of Laravel",
      "/laravel/.env",
      plain,
      "APP_NAME=Shop\nAPP_ENV=production\nAPP_KEY=base64:§\nAPP_DEBUG=false\n",
      "{b43}="
    ),
    told(
      66460,
      "WireGuard's tunnel",
      "/vpn/wg0.conf",
      plain,
      "[Interface]\nAddress = 10.8.0.2/24\nPrivateKey = §\nDNS = 10.8.0.1\n",
      "{b43}="
    ),
    told(
      66470,
      "key of OpenSSH in a member",
      "/keys/deploy",
      json,
      #"{"title":"deploy","key":"-----BEGIN OPENSSH ¶-----\n§\n-----END OPENSSH "#
        + #"¶-----\n"}"#,
      "{b68}"
    ),
    told(
      66480,
      "PuTTY's key",
      "/keys/deploy.ppk",
      plain,
      """
      PuTTY-User-Key-File-3: ssh-ed25519
      Encryption: none
      Comment: deploy
      Private-Lines: 1
      §
      Private-MAC: 00
      """,
      "{b48}"
    ),
    told(
      66490,
      "block of PGP",
      "/keys/release.asc",
      "application/pgp-keys",
      "-----BEGIN PGP ¶ BLOCK-----\n\n§\n=aB3d\n-----END PGP ¶ BLOCK-----\n",
      "{b64}"
    ),
    told(
      66500,
      "account of a service of Google",
      "/iam/keys/1",
      json,
      #"{"type":"service_account","project_id":"p","private_key":"-----BEGIN ¶-----"#
        + #"\n§\n-----END ¶-----\n","client_email":"a@p.example.test"}"#,
      "{b64}"
    ),
    told(
      66510,
      "Terraform's outputs",
      "/state/outputs",
      json,
      #"{"outputs":{"db_admin_password":{"value":"§","type":"string","sensitive":true}}}"#
    ),
  ]
}
