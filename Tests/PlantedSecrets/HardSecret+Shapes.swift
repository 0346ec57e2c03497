internal import Foundation
internal import WindTunnel

extension HardSecret {
  private static let json = "application/json"
  private static let plain = "text/plain; charset=utf-8"

  /// Keys of published shapes where no name gives them away.
  static let shapes: [HardSecret] = clouds + builders

  private static let clouds: [HardSecret] = [
    told(
      62010,
      "DigitalOcean in a sentence",
      "/chat/1",
      json,
      #"{"role":"user","text":"I pasted § into the droplet, was that wrong?"}"#,
      "dop_v1_{h64}"
    ),
    told(
      62020,
      "DigitalOcean's refresh in a log",
      "/logs/1",
      plain,
      "2024-03-01T10:00:00Z INFO exchange ok user=77 got § ttl=30d\n",
      "dor_v1_{h64}"
    ),
    told(
      62030,
      "Doppler in an array",
      "/args/1",
      json,
      #"{"argv":["run","--project","web","§","--","npm","start"]}"#,
      "dp.pt.{m43}"
    ),
    told(
      62040,
      "Dynatrace as a value",
      "/kv/1",
      json,
      #"{"id":4,"value":"§","updated":"2024-02-02"}"#,
      "dt0c01.{q24}.{q64}"
    ),
    told(
      62050,
      "Databricks in an output",
      "/runs/1",
      json,
      #"{"exit":0,"output":"Configured profile DEFAULT with §\n"}"#,
      "dapi{h32}"
    ),
    told(
      62060,
      "Fly.io in a YAML list",
      "/yaml/1",
      "application/yaml",
      "steps:\n  - uses: setup\n  - with:\n      - fra\n      - §\n",
      "fo1_{u43}"
    ),
    told(
      62070,
      "Heroku in a sentence",
      "/tickets/1",
      json,
      #"{"id":1,"description":"deploy fails, I use § on two machines"}"#,
      "HRKU-AA{u58}"
    ),
    told(
      62080,
      "PlanetScale's password in CSV",
      "/csv/1",
      "text/csv",
      "branch,user,created,text\nmain,x1,2024-01-01,§\n",
      "pscale_pw_{u43}"
    ),
    told(
      62090,
      "PlanetScale in a path",
      "/proxy/§/branches",
      json,
      #"{"branches":["main"]}"#,
      "pscale_tkn_{u43}"
    ),
    told(
      62100,
      "Terraform Cloud in a comment",
      "/hcl/1",
      plain,
      "# was § until June\nterraform {\n  required_version = \">= 1.5\"\n}\n",
      "{m14}.atlasv1.{u64}"
    ),
    told(
      62110,
      "Vault's batch token in a shell",
      "/shell/1",
      plain,
      "$ vault print\n§\n$ exit\n",
      "hvb.{u150}"
    ),
    told(
      62120,
      "Netlify in HTML",
      "/html/1",
      "text/html",
      "<p>Use <code>§</code> to deploy the <b>docs</b> site.</p>",
      "nfp_{m36}"
    ),
    told(
      62130,
      "Supabase in Markdown",
      "/readme/1",
      "text/markdown",
      "## Setup\n\nRun `supabase login` and paste `§`.\n",
      "sbp_{h40}"
    ),
    told(
      62140,
      "Tailscale in an argument",
      "/ps/1",
      json,
      #"{"pid":77,"cmdline":"tailscale up --authkey § --ssh"}"#,
      "tskey-auth-{m12}CNTRL-{m32}"
    ),
    told(62150, "Pulumi in a list", "/list/1", json, #"{"results":["a","§","b"]}"#, "pul-{h40}"),
    told(
      62160,
      "OpenShift in an error",
      "/errors/1",
      json,
      #"{"kind":"Status","code":401,"message":"§ is not known to oauth.openshift.io"}"#,
      "sha256~{u43}"
    ),
    told(
      62170,
      "Scalingo in XML",
      "/xml/1",
      "application/xml",
      "<note><to>ops</to><line>§</line></note>",
      "tk-us-{u48}"
    ),
    told(
      62180,
      "Tailscale for programs in a snippet",
      "/tail/1",
      json,
      #"{"snippet":"curl https://api.example.test/devices # §"}"#,
      "tskey-api-{m12}CNTRL-{m32}"
    ),
    told(
      62190,
      "Google's key in a script",
      "/js/1",
      "application/javascript",
      "initMap(); load(\"maps\", \"weekly\", \"§\");\n",
      "AIza{u35}"
    ),
    told(
      62200,
      "Azure AD's client secret in a sentence",
      "/mail/1",
      plain,
      "Hi Bo,\nthe new one for staging is § and it lasts two years.\nAda\n",
      "{m3}8Q~{u34}"
    ),
    told(
      62210,
      "Artifactory in a log",
      "/logs/2",
      plain,
      "[Info] jf rt ping: ok\n[Debug] resolved § from keyring\n",
      "AKCp{m69}"
    ),
    told(
      62220,
      "Aiven in a terminal",
      "/terminal/1",
      json,
      #"{"lines":["avnadmin","§","defaultdb"]}"#,
      "AVNS_{u19}"
    ),
    told(
      62230,
      "Astra in an answer",
      "/astra/1",
      json,
      #"{"note":"rotate § before Friday"}"#,
      "AstraCS:{m24}:{h64}"
    ),
    told(62240, "Bedrock's long key", "/bedrock/1", json, #"{"content":"§"}"#, "ABSK{b128}=="),
    told(
      62250,
      "Yandex Cloud in an event",
      "/events/1",
      "text/event-stream",
      "event: log\ndata: issued § for sa-web\n\n",
      "AQVN{u38}"
    ),
  ]

  private static let builders: [HardSecret] = [
    told(
      62310,
      "GitLab's runner in a transcript",
      "/trace/1",
      plain,
      "Registering runner... succeeded\nWriting § to config.toml\n",
      "glrt-{u20}"
    ),
    told(
      62320,
      "GitLab's deploy token in a diff",
      "/diff/1",
      "text/x-diff",
      "--- a/ci.sh\n+++ b/ci.sh\n@@ -1 +1 @@\n-echo none\n+echo §\n",
      "gldt-{u20}"
    ),
    told(
      62330,
      "GitLab's trigger in an array",
      "/triggers/1",
      json,
      #"{"items":[1,"main","§"]}"#,
      "glptt-{h40}"
    ),
    told(
      62340,
      "GitHub's fine-grained token in a review",
      "/reviews/1",
      json,
      #"{"body":"Please remove § from line 12.","state":"COMMENTED"}"#,
      "github_pat_{m22}_{m59}"
    ),
    told(
      62350,
      "GitHub's server token in a remote",
      "/git/1",
      plain,
      "origin\thttps://git.example.test/a/b (fetch)\nusing §\n",
      "ghs_{m36}"
    ),
    told(
      62360,
      "npm in a Dockerfile",
      "/docker/1",
      plain,
      "FROM node:20\nRUN ./setup.sh §\nCMD [\"node\",\"a.js\"]\n",
      "npm_{m36}"
    ),
    told(
      62370,
      "PyPI in a job's output",
      "/jobs/1",
      json,
      #"{"step":"publish","stdout":"twine upload -u __token__ -p § dist/a.whl"}"#,
      "pypi-AgEIcHlwaS5vcmc{u110}"
    ),
    told(
      62380,
      "RubyGems in YAML",
      "/gems/1",
      "application/yaml",
      "---\n- rake\n- §\n- bundler\n",
      "rubygems_{h48}"
    ),
    told(62390, "Clojars in EDN", "/edn/1", plain, "{:user \"ada\" :x [\"§\"]}\n", "CLOJARS_{a60}"),
    told(
      62400,
      "NuGet in a script",
      "/nuget/1",
      plain,
      "dotnet nuget push a.nupkg -s feed -k §\n",
      "oy2{a43}"
    ),
    told(
      62410,
      "Docker's organisation token in a tip",
      "/tips/1",
      json,
      #"{"tips":[{"text":"docker login with § works"}]}"#,
      "dckr_oat_{u32}"
    ),
    told(
      62420,
      "Buildkite in a field named text",
      "/slack/1",
      json,
      #"{"channel":"ci","user":"bo","text":"agents use § now","ts":"1700000000.1"}"#,
      "bkua_{h40}"
    ),
    told(
      62430,
      "CircleCI in a table",
      "/table/1",
      "text/html",
      "<table><tr><td>ci</td><td>§</td></tr></table>",
      "CCIPAT_{m22}_{h40}"
    ),
    told(62440, "Sonar in a command", "/cmd/1", plain, "mvn verify §@scan\n", "squ_{h40}"),
    told(
      62450,
      "Sourcegraph as a label",
      "/labels/1",
      json,
      #"{"labels":["infra","§"]}"#,
      "sgp_{h16}_{h40}"
    ),
    told(
      62460,
      "Postman in a collection",
      "/collections/1",
      json,
      #"{"item":[{"name":"List","description":"first set §"}]}"#,
      "PMAK-{h24}-{h34}"
    ),
    told(
      62470,
      "Prefect in a log",
      "/logs/3",
      plain,
      "12:01 | worker | profile § loaded\n",
      "pnu_{a36}"
    ),
    told(
      62480,
      "ReadMe in JSON lines",
      "/jsonl/1",
      "application/x-ndjson",
      "{\"n\":1,\"v\":\"ok\"}\n{\"n\":2,\"v\":\"§\"}\n",
      "rdme_{a70}"
    ),
    told(
      62490,
      "Grafana's service account in an alert",
      "/alerts/1",
      json,
      #"{"title":"probe","annotations":{"summary":"§ expires soon"}}"#,
      "glsa_{m32}_{h8}"
    ),
    told(
      62500,
      "New Relic's user key in TOML",
      "/toml/1",
      "application/toml",
      "[[panel]]\ntitle = \"§\"\nwidth = 4\n",
      "NRAK-{A27}"
    ),
    told(
      62510,
      "Sentry's user token in a breadcrumb",
      "/crumbs/1",
      json,
      #"{"values":[{"category":"console","message":"cli § ok"}]}"#,
      "sntryu_{h64}"
    ),
    told(
      62520,
      "PostHog in a query of another name",
      "/decide?v=3&x=§",
      json,
      #"{"flags":{}}"#,
      "phx_{m43}"
    ),
    told(
      62530,
      "crates.io in a shell history",
      "/history/1",
      plain,
      "cd web\ncargo login §\ncargo publish\n",
      "cio{m32}"
    ),
    told(
      62540,
      "Harness in a value",
      "/vars/1",
      json,
      #"{"key":"a1","value":"§"}"#,
      "pat.{u22}.{h24}.{m20}"
    ),
    told(62550, "JFrog's reference token", "/refs/1", json, #"{"detail":"§"}"#, "cmVmd{m59}"),
  ]
}
