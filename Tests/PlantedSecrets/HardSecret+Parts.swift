internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"
  private static let plain = "text/plain; charset=utf-8"
  private static let xml = "application/xml"

  /// Requests with a credential, one part of which the answer repeats.
  static let parts: [HardSecret] = signed + shared

  private static let signed: [HardSecret] = [
    asked(
      64010,
      "signature of Google's XML interface",
      "/gcs/bucket/a.txt",
      [
        "x-goog-date": "20240301T100000Z",
        "Authorization": """
        GOOG4-HMAC-SHA256 Credential=GOOG1EXAMPLE/20240301/auto/storage/goog4_request, \
        SignedHeaders=host;x-goog-date, Signature=§
        """,
      ],
      "{h64}",
      answer: """
        <?xml version='1.0'?><Error><Code>SignatureDoesNotMatch</Code>
        <Message>Access denied.</Message><SignatureProvided>§</SignatureProvided></Error>
        """,
      type: xml,
      status: 403
    ),
    asked(
      64020,
      "signature of AWS in a JSON text",
      "/dynamodb/",
      [
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
        "Authorization": """
        AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20240301/eu-west-1/dynamodb/aws4_request, \
        SignedHeaders=host;x-amz-date;x-amz-target, Signature=§
        """,
      ],
      "{h64}",
      answer: #"{"__type":"InvalidSignatureException","message":"We calculated other than §."}"#,
      type: "application/x-amz-json-1.0",
      status: 400
    ),
    asked(
      64030,
      "signature of Alibaba's storage",
      "/oss/pictures/1.jpg",
      ["Date": "Fri, 01 Mar 2024 10:00:00 GMT", "Authorization": "OSS LTAIEXAMPLE:§="],
      "{m27}",
      answer: """
        <Error><Code>SignatureDoesNotMatch</Code><HostId>oss.example.test</HostId>
        <OSSAccessKeyId>LTAIEXAMPLE</OSSAccessKeyId><SignatureProvided>§=</SignatureProvided>
        </Error>
        """,
      type: xml,
      status: 403
    ),
    asked(
      64040,
      "code of Azure's shared key",
      "/azure/container?restype=container",
      ["x-ms-version": "2021-12-02", "Authorization": "SharedKey account1:§="],
      "{m43}",
      answer: """
        <Error><Code>AuthenticationFailed</Code><AuthenticationErrorDetail>The MAC signature found \
        in the HTTP request '§=' is not the same as any computed signature.\
        </AuthenticationErrorDetail></Error>
        """,
      type: xml,
      status: 403
    ),
    asked(
      64050,
      "signature of a shared access in Azure's answer",
      "/azure/blob.bin?sv=2022-11-02&sp=r&se=2031-01-01&sr=b&sig=§%3D",
      [:],
      "{m43}",
      answer: """
        <Error><Code>AuthenticationFailed</Code><AuthenticationErrorDetail>Signature did not match: \
        §= of r 2031-01-01</AuthenticationErrorDetail></Error>
        """,
      type: xml,
      status: 403
    ),
    asked(
      64060,
      "response of Digest in a trace",
      "/digest/private",
      [
        "Authorization": """
        Digest username="ada", realm="cam", nonce="5f1c", uri="/digest/private", qop=auth, \
        nc=00000001, cnonce="0a4f", response="§"
        """
      ],
      "{h32}",
      answer: "auth: ada@cam nc=1 mismatch, client sent § (MD5)\n",
      type: plain,
      status: 401
    ),
    asked(
      64070,
      "code of Hawk",
      "/hawk/resource/1",
      [
        "Authorization": #"Hawk id="dh37", ts="1353832234", nonce="j4h3g2", ext="a", mac="§=""#
      ],
      "{m43}",
      answer: #"{"statusCode":401,"error":"Unauthorized","message":"Bad mac §="}"#,
      status: 401
    ),
    asked(
      64080,
      "signature of an ActivityPub server",
      "/inbox/ada",
      [
        "Signature": """
        keyId="https://b.example.test/u#main-key",algorithm="rsa-sha256",\
        headers="(request-target) host date",signature="§=="
        """
      ],
      "{b342}",
      answer: #"{"error":"Verification failed for https://b.example.test/u: §=="}"#,
      status: 401
    ),
    asked(
      64090,
      "signature of Matrix's federation",
      "/_matrix/federation/v1/version",
      [
        "Authorization": #"X-Matrix origin="a.example.test",key="ed25519:k1",sig="§""#
      ],
      "{b86}",
      answer: #"{"errcode":"M_UNAUTHORIZED","error":"Unable to verify § of a.example.test"}"#,
      status: 401
    ),
    asked(
      64100,
      "third part of a web token",
      "/jwt/me",
      [
        "Authorization":
          "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0NyIsInVzZSI6ImEifQ.§"
      ],
      "{u43}",
      answer: #"{"code":"invalid_signature","detail":"computed another one than §"}"#,
      status: 401
    ),
    asked(
      64110,
      "signature of OAuth 1",
      "/1.1/statuses/home.json",
      [
        "Authorization": """
        OAuth oauth_consumer_key="ck", oauth_nonce="n1", oauth_signature="§%3D", \
        oauth_signature_method="HMAC-SHA1", oauth_timestamp="1700000000", oauth_version="1.0"
        """
      ],
      "{m27}",
      answer: #"{"errors":[{"code":32,"message":"Could not authenticate: §="}]}"#,
      status: 401
    ),
    sent(
      64120,
      "GitHub's signature of a delivery",
      "/hooks/github",
      json,
      #"{"action":"opened","number":4}"#,
      "{h64}",
      ["X-GitHub-Event": "pull_request", "X-Hub-Signature-256": "sha256=§"],
      answer: #"{"accepted":false,"reason":"digest § is not ours"}"#
    ),
    sent(
      64130,
      "Paddle's signature of a delivery",
      "/hooks/paddle",
      json,
      #"{"event_type":"transaction.paid"}"#,
      "{h64}",
      ["Paddle-Signature": "ts=1700000000;h1=§"],
      answer: #"{"error":"§ at 1700000000 did not verify"}"#
    ),
  ]

  private static let shared: [HardSecret] = [
    asked(
      64210,
      "password of Basic in a sentence",
      "/basic/a",
      ["Authorization": "Basic ⟦ada:§⟧"],
      "Ferry!Timetable62",
      answer: "User ada could not log in with § (3 tries left).\n",
      type: plain,
      status: 401
    ),
    asked(
      64220,
      "secret half of Elasticsearch's key",
      "/es/_search",
      ["Authorization": "ApiKey ⟦VuaCfGcBCdbkQm:§⟧"],
      "{u22}",
      answer: #"{"error":{"reason":"[§] is not the one of VuaCfGcBCdbkQm"},"status":401}"#,
      status: 401
    ),
    asked(
      64230,
      "token behind Sanctum's number",
      "/api/user",
      ["Authorization": "Bearer 12|§"],
      "{m40}",
      answer: "SQL: select * from tokens where hash = sha256('§') limit 1\n",
      type: plain,
      status: 500
    ),
    asked(
      64240,
      "session in Express's signed cookie",
      "/express/cart",
      ["Cookie": "theme=dark; connect.sid=s%3A§.b0Yp7cV1yU2tKq9mW4xR8sL3nJ6hF5dG0aZ"],
      "{u32}",
      answer: #"{"redis":["GET","sess:§"],"hit":false}"#
    ),
    asked(
      64250,
      "digest of Rails' signed cookie",
      "/rails/edit",
      ["Cookie": "locale=en; remember_user=⟦[7,1700000000]⟧--§"],
      "{h40}",
      answer: "ActiveSupport::MessageVerifier: digest § is invalid\n",
      type: plain,
      status: 500
    ),
    asked(
      64260,
      "signature of Django's cookie",
      "/django/admin",
      ["Cookie": "sessionid=eyJ1c2VyIjo3fQ:1rfPqA:§"],
      "{u43}",
      answer: "<h1>BadSignature</h1><pre>Signature \"§\" does not match</pre>",
      type: "text/html",
      status: 400
    ),
    asked(
      64270,
      "proof of SCRAM",
      "/scram/login",
      ["Authorization": "SCRAM-SHA-256 sid=4, data=⟦c=biws,r=n1n2,p=§=⟧"],
      "{m43}",
      answer: #"{"e":"invalid-proof","got":"§="}"#,
      status: 401
    ),
    sent(
      64280,
      "password of a database's address",
      "/connections/test",
      json,
      #"{"name":"reports","url":"mysql://app:§@db.example.test:3306/reports"}"#,
      "{m18}",
      answer: #"{"ok":false,"error":"Access denied for 'app' (using §)"}"#
    ),
    sent(
      64290,
      "client's secret in a description",
      "/oauth/token",
      form,
      "grant_type=client_credentials&client_id=shop&client_secret=§&scope=read",
      "{m36}",
      answer: #"{"error":"invalid_client","error_description":"shop does not go with §"}"#
    ),
    asked(
      64300,
      "key of a query in a page's title",
      "/maps?center=Bonn&access_token=§",
      [:],
      "{m36}",
      answer: "<title>No map for §</title><p>403</p>",
      type: "text/html",
      status: 403
    ),
    asked(
      64310,
      "password of the address in a text",
      "https://feeds:§@feeds.example.test/daily.xml",
      [:],
      "{m16}",
      answer: "feeds/§ is locked until noon\n",
      type: plain,
      status: 401
    ),
  ]
}
