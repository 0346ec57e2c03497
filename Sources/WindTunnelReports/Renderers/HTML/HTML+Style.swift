extension HTML {
  /// Colours are named once for light and once for dark; nothing else knows which it is.
  static let style = """
    :root { color-scheme: light dark; --back: #ffffff; --ink: #16191d; --dim: #5b6470;
      --line: #d8dce2; --shade: #16191d55; --tile: #f3f5f8; --link: #0b57d0; --good: #1b7f4b; --bad: #b3261e; --doubtful: #8a5a00;
      --good-back: #e2f4ea; --bad-back: #fde7e5; --doubtful-back: #fdf1d8;
      --h0: #f4b8b2; --h1: #f8cfa8; --h2: #f7e6a6; --h3: #dcedb4; --h4: #bfe5c8; }
    @media (prefers-color-scheme: dark) { :root { --back: #111418; --ink: #e8ebef; --dim: #9aa4b1;
      --line: #343a43; --shade: #e8ebef55; --tile: #1b2027; --link: #8ab4f8; --good: #6fdc9f; --bad: #ff8a80; --doubtful: #f0c060;
      --good-back: #12311f; --bad-back: #3a1715; --doubtful-back: #33270c;
      --h0: #6b2620; --h1: #6b4420; --h2: #5f5518; --h3: #3f5420; --h4: #1e4f30; } }
    * { box-sizing: border-box; }
    body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 68em; padding: 1em;
      background: var(--back); color: var(--ink); overflow-wrap: anywhere; }
    h1 { font-size: 1.6em; margin: .1em 0; } h2 { font-size: 1.25em; margin: 1.8em 0 .5em; }
    h3 { font-size: 1em; margin: 1.4em 0 .4em; } p { margin: .3em 0; }
    a { color: var(--link); } .note { font-size: .9em; }
    .dim, small, dt, th, figcaption, .tile span { color: var(--dim); }
    .verdict { border-radius: .7em; padding: .9em 1.1em; background: var(--tile); }
    .verdict.passed { background: var(--good-back); } .verdict.passed h1 { color: var(--good); }
    .verdict.failed, .verdict.fell { background: var(--bad-back); }
    .verdict.failed h1, .verdict.fell h1 { color: var(--bad); }
    .verdict.inconclusive { background: var(--doubtful-back); }
    .verdict.inconclusive h1 { color: var(--doubtful); }
    .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9em, 1fr)); gap: .6em; }
    .tile { background: var(--tile); border-radius: .6em; padding: .6em .8em; }
    .tile span, .tile small { display: block; font-size: .8em; }
    .tile b { font-size: 1.3em; font-variant-numeric: tabular-nums; }
    .tile.bad b, td.bad { color: var(--bad); } td.bad, td.good, td.doubtful { font-weight: 600; }
    td.good { color: var(--good); } td.doubtful { color: var(--doubtful); }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20em, 100%), 1fr));
      gap: 1em; margin-top: 1em; }
    figure { margin: 0; } figcaption { font-size: .85em; margin-bottom: .2em; }
    svg { display: block; width: 100%; height: auto; background: var(--tile); border-radius: .6em; }
    svg text { fill: var(--dim); font: 10px system-ui, sans-serif; }
    .axis { stroke: var(--line); } .mark { stroke: var(--ink); stroke-dasharray: 3 2; }
    .ok { fill: var(--good); } .ko { fill: var(--bad); }
    .wide { overflow-x: auto; background: linear-gradient(90deg, var(--back) 1.5em, transparent) 0 0 / \
      3em 100% local no-repeat, linear-gradient(270deg, var(--back) 1.5em, transparent) 100% 0 / 3em \
      100% local no-repeat, linear-gradient(90deg, var(--shade), transparent) 0 0 / 1em 100% scroll \
      no-repeat, linear-gradient(270deg, var(--shade), transparent) 100% 0 / 1em 100% scroll no-repeat; }
    table { border-collapse: collapse; font-size: .9em; min-width: 60%; }
    th, td { text-align: right; padding: .35em .6em; border-bottom: 1px solid var(--line);
      white-space: nowrap; font-variant-numeric: tabular-nums; }
    th { font-weight: 600; } th.words, td.words { text-align: left; }
    td.words { white-space: normal; overflow-wrap: normal; }
    td code { display: inline-block; min-width: 11em; }
    .narrow { display: none; }
    .wide tr > .words:first-child { position: sticky; left: 0; background: var(--back); }
    .heat th { text-align: center; } .heat th.words { text-align: left; }
    @media (max-width: 40em) { th, td { padding: .35em .4em; } .narrow { display: block; }
      #gates thead { display: none; } #gates table, #gates tbody { display: block; }
      #gates tr { display: flex; flex-wrap: wrap; gap: 0 .7em; padding: .5em 0;
        border-bottom: 1px solid var(--line); }
      #gates td.words, #gates td { position: static; border: 0; padding: 0; text-align: left;
        white-space: normal; }
      #gates td:nth-child(2) { flex: 1 0 60%; } #gates td:nth-child(1) { flex: 0 0 7.5em; }
      #gates td:nth-child(3) { flex: 0 0 7.5em; } #gates td:empty { display: none; } }
    code { font: .95em ui-monospace, monospace; }
    .heat td { border: 2px solid var(--back); border-radius: .4em; text-align: center; }
    .heat td a { color: inherit; text-decoration: none; display: block; }
    .h0 { background: var(--h0); } .h1 { background: var(--h1); } .h2 { background: var(--h2); }
    .h3 { background: var(--h3); } .h4 { background: var(--h4); }
    details { border-top: 1px solid var(--line); padding: .4em 0; }
    summary { cursor: pointer; } dl { display: grid; grid-template-columns: max-content 1fr;
      gap: .2em 1em; font-size: .9em; } dd { margin: 0; }
    """
}
