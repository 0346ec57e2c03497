internal import Foundation
internal import WindTunnel

extension HardSecret {
  /// Fields of vendors that hold a secret.
  static let fieldsOfVendors: [HardSecret] = keys + signatures + answers

  private static let keys: [HardSecret] = [
    asked(61110, "GitLab's token", "/api/v4/projects/7", ["PRIVATE-TOKEN": "§"], "{u20}"),
    asked(
      61120,
      "GitLab's token of a job",
      "/api/v4/jobs/7/artifacts",
      ["JOB-TOKEN": "§"],
      "{u20}"
    ),
    asked(
      61130,
      "Postmark",
      "/email/stats",
      ["X-Postmark-Server-Token": "§"],
      "{h8}-{h4}-{h4}-{h4}-{h12}"
    ),
    asked(61140, "Honeycomb", "/1/markers/prod", ["X-Honeycomb-Team": "§"], "{m22}"),
    asked(
      61150,
      "New Relic's insert key",
      "/v1/accounts/1/events",
      ["X-Insert-Key": "§"],
      "NRII-{u32}"
    ),
    asked(
      61160,
      "Azure's subscription",
      "/face/v1.0/detect",
      ["Ocp-Apim-Subscription-Key": "§"],
      "{h32}"
    ),
    asked(61170, "Azure Functions", "/api/resize", ["x-functions-key": "§"], "{u54}=="),
    asked(61180, "ElevenLabs", "/v1/voices", ["xi-api-key": "§"], "{h32}"),
    asked(
      61190,
      "Tableau's session",
      "/api/3.20/sites/s/workbooks",
      ["X-Tableau-Auth": "§"],
      "{u22}|{m32}"
    ),
    asked(
      61200,
      "Plex",
      "/library/sections",
      ["X-Plex-Token": "§", "X-Plex-Product": "Web"],
      "{u20}"
    ),
    asked(
      61210,
      "Emby with several values",
      "/Users/Me",
      ["X-Emby-Authorization": #"MediaBrowser Client="Web", Device="Mac", Token="§""#],
      "{h32}"
    ),
    asked(
      61220,
      "Parse's master",
      "/parse/classes/Game",
      ["X-Parse-Application-Id": "game", "X-Parse-Master-Key": "§"],
      "{m40}"
    ),
    asked(61230, "Hasura", "/v1/metadata", ["x-hasura-admin-secret": "§"], "Basalt-Harbour-70"),
    asked(
      61240,
      "Cloudflare Access",
      "/internal/health",
      ["CF-Access-Client-Id": "0a1b.access", "CF-Access-Client-Secret": "§"],
      "{h64}"
    ),
    asked(
      61250,
      "Cloudflare's origin service",
      "/client/v4/certificates",
      ["X-Auth-User-Service-Key": "§"],
      "v1.0-{h24}-{h146}"
    ),
    asked(
      61260,
      "KuCoin's passphrase",
      "/api/v1/accounts",
      ["KC-API-KEY-VERSION": "2", "KC-API-PASSPHRASE": "§"],
      "{b43}="
    ),
    asked(
      61270,
      "Coinbase's passphrase",
      "/accounts/7",
      ["CB-ACCESS-TIMESTAMP": "1700000000", "CB-ACCESS-PASSPHRASE": "§"],
      "{a11}"
    ),
    asked(
      61280,
      "Tenable's pair",
      "/scans",
      ["X-ApiKeys": "accessKey=3f0c; secretKey=§;"],
      "{h64}"
    ),
    asked(61290, "Octopus", "/api/Spaces-1/releases", ["X-Octopus-ApiKey": "§"], "API-{A27}"),
    asked(
      61300,
      "customer's key of S3",
      "/bucket/report.pdf",
      [
        "x-amz-server-side-encryption-customer-algorithm": "AES256",
        "x-amz-server-side-encryption-customer-key": "§",
      ],
      "{b43}="
    ),
    asked(
      61310,
      "copy of Azure's blobs",
      "/container/copy",
      ["x-ms-version": "2021-12-02", "x-ms-copy-source-authorization": "Bearer §"],
      "{u80}"
    ),
    asked(
      61320,
      "WebSocket's protocol with a token",
      "/subscriptions",
      ["Upgrade": "websocket", "Sec-WebSocket-Protocol": "graphql-ws, access_token, §"],
      "{m40}",
      status: 101
    ),
    asked(
      61330,
      "WebSocket's protocol of Kubernetes",
      "/api/v1/watch/pods",
      [
        "Upgrade": "websocket",
        "Sec-WebSocket-Protocol": "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.§",
      ],
      "{u64}",
      status: 101
    ),
    asked(61340, "SignalFx", "/v2/metric", ["X-SF-TOKEN": "§"], "{u22}"),
    asked(61350, "Meraki", "/api/v1/organizations", ["X-Cisco-Meraki-API-Key": "§"], "{h40}"),
    asked(
      61360,
      "Brave's search",
      "/res/v1/web/search?q=swift",
      ["X-Subscription-Token": "§"],
      "BSA{u28}"
    ),
  ]

  private static let signatures: [HardSecret] = [
    asked(
      61410,
      "secret of a bot",
      "/hooks/telegram",
      ["X-Chat-Bot-Api-Secret-Token": "§"],
      "{u32}"
    ),
    asked(61420, "Stripe", "/hooks/stripe", ["Stripe-Signature": "t=1700000000,v1=§"], "{h64}"),
    asked(
      61430,
      "Slack",
      "/hooks/slack",
      ["X-Slack-Request-Timestamp": "1700000000", "X-Slack-Signature": "v0=§"],
      "{h64}"
    ),
    asked(
      61440,
      "Shopify",
      "/hooks/shopify",
      ["X-Shopify-Topic": "orders/create", "X-Shopify-Hmac-Sha256": "§"],
      "{b43}="
    ),
    asked(61450, "Twilio", "/hooks/twilio", ["X-Twilio-Signature": "§"], "{b27}="),
    asked(61460, "LINE", "/hooks/line", ["X-Line-Signature": "§"], "{b43}="),
    asked(
      61470,
      "Svix",
      "/hooks/svix",
      ["svix-id": "msg_2", "svix-timestamp": "1700000000", "svix-signature": "v1,§"],
      "{b43}="
    ),
    asked(61480, "Kraken", "/0/private/Balance", ["API-Sign": "§"], "{b86}=="),
    asked(
      61490,
      "OKX",
      "/api/v5/account/balance",
      ["OK-ACCESS-TIMESTAMP": "2024-01-01T00:00:00.000Z", "OK-ACCESS-SIGN": "§"],
      "{b43}="
    ),
    asked(
      61500,
      "Gitea",
      "/hooks/gitea",
      ["X-Gitea-Event": "push", "X-Gitea-Signature": "§"],
      "{h64}"
    ),
  ]

  private static let answers: [HardSecret] = [
    asked(61610, "Keystone's answer", "/v3/auth/tokens", answerHeaders: ["X-Subject-Token": "§"]),
    asked(
      61620,
      "Swift's answer",
      "/auth/v1.0",
      answerHeaders: ["X-Storage-Url": "https://st.example.test/v1/a", "X-Storage-Token": "§"]
    ),
    asked(
      61630,
      "oauth2-proxy's answer",
      "/oauth2/auth",
      answerHeaders: ["X-Auth-Request-User": "ada", "X-Auth-Request-Access-Token": "§"],
      status: 202
    ),
    asked(
      61640,
      "nonce of WordPress",
      "/wp-json/wp/v2/posts",
      [:],
      "{h10}",
      answerHeaders: ["X-WP-Nonce": "§"]
    ),
    asked(
      61650,
      "GoodData's super secure token",
      "/gdc/account/login",
      answerHeaders: ["X-GDC-AuthSST": "§"]
    ),
    asked(61660, "refreshed token", "/session", answerHeaders: ["X-New-Refresh-Token": "§"]),
    asked(
      61670,
      "Dell iDRAC's session",
      "/redfish/v1/SessionService/Sessions",
      answerHeaders: ["Location": "/redfish/v1/Sessions/12", "X-Auth-Token": "§"],
      status: 201
    ),
    asked(
      61680,
      "App Service's token",
      "/.auth/refresh",
      ["X-MS-TOKEN-AAD-ACCESS-TOKEN": "§"],
      "{u64}"
    ),
  ]
}
