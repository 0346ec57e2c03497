internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let plain = "text/plain; charset=utf-8"

  /// More keys of published shapes.
  static let otherShapes: [HardSecret] = moreShapes + joined

  private static let moreShapes: [HardSecret] = [
    told(
      62610,
      "Anthropic in a prompt",
      "/messages/1",
      json,
      #"{"messages":[{"role":"user","content":"why does § fail?"}]}"#,
      "sk-ant-api03-{u93}AA"
    ),
    told(
      62620,
      "OpenAI's project key in a notebook",
      "/notebook/1",
      json,
      #"{"cells":[{"cell_type":"code","source":["client = make('§')\n"]}]}"#,
      "sk-proj-{u74}T3BlbkFJ{u74}"
    ),
    told(
      62630,
      "Hugging Face in an output",
      "/spaces/1",
      json,
      #"{"logs":[{"stream":"stderr","data":"login § done"}]}"#,
      "hf_{l34}"
    ),
    told(62640, "Replicate in a path", "/embed/§/player", json, #"{"ok":1}"#, "r8_{m37}"),
    told(62650, "Groq in a list", "/models/1", json, #"["llama","§"]"#, "gsk_{m52}"),
    told(62660, "Perplexity in a sentence", "/notes/1", plain, "Try § instead.\n", "pplx-{m48}"),
    told(
      62670,
      "LangSmith in a trace",
      "/traces/1",
      json,
      #"{"inputs":{"question":"is § valid?"},"latency":0.2}"#,
      "lsv2_pt_{h32}_{h10}"
    ),
    told(
      62680,
      "xAI in a cell",
      "/cells/1",
      "text/tab-separated-values",
      "a\tb\n1\t§\n",
      "xai-{m80}"
    ),
    told(
      62690,
      "Tavily in an array",
      "/tools/1",
      json,
      #"{"args":["search","§"]}"#,
      "tvly-{m32}"
    ),
    told(
      62700,
      "SendGrid in a log",
      "/logs/4",
      plain,
      "mailer: 202 Accepted via § (12 recipients)\n",
      "SG.{u22}.{u43}"
    ),
    told(
      62710,
      "Brevo in a sentence",
      "/notes/2",
      plain,
      "The campaign ran with §.\n",
      "xkeysib-{h64}-{m16}"
    ),
    told(62720, "Mailchimp in a value", "/kv/2", json, #"{"value":"§"}"#, "{h32}-us20"),
    told(
      62730,
      "Mailgun in a sample",
      "/docs/1",
      "text/html",
      "<pre>api:§</pre>",
      "key-{h32}"
    ),
    told(
      62740,
      "bot in a path",
      "/bot§/sendMessage?chat_id=7&text=hi",
      json,
      #"{"ok":true,"result":{"message_id":3}}"#,
      "{d10}:AA{u33}"
    ),
    told(
      62750,
      "Slack's bot in a transcript",
      "/transcripts/1",
      json,
      #"{"turns":[{"speaker":"A","said":"put § there"}]}"#,
      "xoxb-{d12}-{d13}-{m24}"
    ),
    told(
      62760,
      "Slack's refresh token in a result",
      "/results/1",
      json,
      #"{"result":["§",43200]}"#,
      "xoxe-1-{m146}"
    ),
    told(
      62770,
      "Shopify in a field called output",
      "/apps/1",
      json,
      #"{"output":"Installed on shop1 (§)"}"#,
      "shpat_{h32}"
    ),
    told(
      62780,
      "Square in a log",
      "/logs/5",
      plain,
      "POST /v2/payments § 200 41ms\n",
      "EAAA{u60}"
    ),
    told(
      62790,
      "Stripe's restricted key in a comment",
      "/comments/1",
      json,
      #"{"comments":[{"by":"bo","markdown":"> §\n\nroll it"}]}"#,
      "rk_test_{m99}"
    ),
    told(
      62800,
      "Flutterwave in a log",
      "/notes/3",
      plain,
      "charge: § declined\n",
      "FLWSECK_TEST-{h32}-X"
    ),
    told(62810, "EasyPost in an array", "/ship/1", json, #"["EP","§"]"#, "EZAK{m54}"),
    told(
      62820,
      "Shippo in a value",
      "/ship/2",
      json,
      #"{"setting":"x","value":"§"}"#,
      "shippo_live_{h40}"
    ),
    told(
      62830,
      "Duffel in a sentence",
      "/fly/1",
      plain,
      "The sandbox knows § only.\n",
      "duffel_test_{u43}"
    ),
    told(
      62840,
      "Airtable in a cell",
      "/cells/2",
      json,
      #"{"records":[{"fields":{"Notes":"§"}}]}"#,
      "pat{m14}.{h64}"
    ),
    told(
      62850,
      "Notion in a block",
      "/blocks/1",
      json,
      #"{"paragraph":{"rich_text":[{"plain_text":"§"}]}}"#,
      "ntn_{d11}{m35}"
    ),
  ]

  private static let joined: [HardSecret] = [
    told(
      62910,
      "Figma in a comment",
      "/figma/1",
      json,
      #"{"message":"export with §"}"#,
      "figd_{u40}"
    ),
    told(
      62920,
      "Linear in a description",
      "/issues/1",
      json,
      #"{"title":"CI","description":"blocked on §"}"#,
      "lin_api_{m40}"
    ),
    told(
      62930,
      "Typeform in an answer",
      "/forms/1",
      json,
      #"{"answers":[{"text":"§"}]}"#,
      "tfp_{u59}"
    ),
    told(
      62940,
      "HubSpot in a note",
      "/crm/1",
      json,
      #"{"hs_note_body":"<p>§</p>"}"#,
      "pat-na1-{h8}-{h4}-{h4}-{h4}-{h12}"
    ),
    told(
      62950,
      "Contentful in a preview",
      "/entries/1",
      json,
      #"{"fields":{"body":"§"}}"#,
      "CFPAT-{u43}"
    ),
    told(
      62960,
      "Bitbucket's password of an app",
      "/logs/6",
      plain,
      "clone with § ok\n",
      "ATBB{m32}"
    ),
    told(
      62970,
      "Atlassian in a page",
      "/wiki/1",
      "text/html",
      "<li>Jira: §</li>",
      "ATATT3xFfGF0{u180}"
    ),
    told(
      62980,
      "age's identity in a file",
      "/files/1",
      plain,
      "# created: 2024-01-01T00:00:00Z\n§\n",
      "AGE-SECRET-KEY-1{x58}"
    ),
    told(62990, "Okta in a log", "/logs/7", plain, "GET /api/v1/users SSWS § 200\n", "00{u40}"),
    told(
      63000,
      "Zuplo in an array",
      "/gateway/1",
      json,
      #"{"rows":[["a","§"]]}"#,
      "zpka_{h32}_{h8}"
    ),
    told(
      63010,
      "WakaTime in a setup",
      "/editor/1",
      json,
      #"{"tip":"paste § once"}"#,
      "waka_{h8}-{h4}-{h4}-{h4}-{h12}"
    ),
    told(
      63020,
      "Lob in a sentence",
      "/lob/1",
      plain,
      "Printed one card by §.\n",
      "test_{h35}"
    ),
    told(
      63030,
      "Discord's bot in a paste",
      "/paste/1",
      plain,
      "client.run('§')\n",
      "MT{m24}.G{u5}.{u38}"
    ),
    told(
      63040,
      "EdDSA key as JWK in a list",
      "/jwks/1",
      json,
      """
      {"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","use":"sig","d":"§",
       "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPLw2JE"}]}
      """,
      "{u43}"
    ),
    told(
      63050,
      "1Password's account key in a kit",
      "/kit/1",
      plain,
      "Emergency Kit\nada@example.test\n§\n",
      "A3-{A6}-{A11}-{A5}-{A5}-{A5}"
    ),
    told(
      63060,
      "Ory in an event",
      "/events/2",
      "text/event-stream",
      "data: § rotated\n\n",
      "ory_pat_{m32}"
    ),
    told(
      63070,
      "Bitwarden in an output",
      "/jobs/2",
      json,
      #"{"exit":0,"output":"client=§\n"}"#,
      "0.1f53950b-305e-55ea-55c3-d113f8367a02.{m30}:{b22}=="
    ),
    told(
      63080,
      "Firebase messaging in a chat",
      "/posts/8",
      json,
      #"{"message":"this one: § (till Friday)"}"#,
      "AAAAKQmdHpX:APA91b{u134}"
    ),
    told(
      63090,
      "Azure DevOps in a ticket",
      "/tickets/7.xml",
      "application/xml",
      "<t><comment>It worked with § yesterday</comment></t>",
      "{m52}JQQJ99BLACAAAAAAAAAAAAAAAZDO{m4}"
    ),
    told(63100, "MaxMind in a log", "/logs/7", plain, "client § made\n", "{m6}_{m29}_mmk"),
    told(63110, "Vercel in a list", "/args", json, #"["--eu","§"]"#, "vercel_blob_rw_{m16}_{m30}"),
    told(63120, "42 in CSV", "/e.csv", "text/csv", "Area,Remark\nBilling,§\n", "s-s4t2ud-{h64}"),
  ]
}
