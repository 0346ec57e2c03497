#include "CWindTunnelConsole.h"

#include <stdint.h>

static const unsigned char api_js[] = {
#embed "Page/api.js"
};
static const unsigned char charts_js[] = {
#embed "Page/charts.js"
};
static const unsigned char console_css[] = {
#embed "Page/console.css"
};
static const unsigned char console_js[] = {
#embed "Page/console.js"
};
static const unsigned char conversation_js[] = {
#embed "Page/conversation.js"
};
static const unsigned char detail_js[] = {
#embed "Page/detail.js"
};
static const unsigned char dom_js[] = {
#embed "Page/dom.js"
};
static const unsigned char filter_js[] = {
#embed "Page/filter.js"
};
static const unsigned char findings_js[] = {
#embed "Page/findings.js"
};
static const unsigned char format_js[] = {
#embed "Page/format.js"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char list_js[] = {
#embed "Page/list.js"
};
static const unsigned char store_js[] = {
#embed "Page/store.js"
};
static const unsigned char stream_js[] = {
#embed "Page/stream.js"
};
static const unsigned char weather_js[] = {
#embed "Page/weather.js"
};
static const unsigned char openapi[] = {
#embed "../../../Cassettes/format/console-1.openapi.json"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t length;
} files[] = {
    {"api.js", api_js, sizeof api_js},
    {"charts.js", charts_js, sizeof charts_js},
    {"console.css", console_css, sizeof console_css},
    {"console.js", console_js, sizeof console_js},
    {"conversation.js", conversation_js, sizeof conversation_js},
    {"detail.js", detail_js, sizeof detail_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"filter.js", filter_js, sizeof filter_js},
    {"findings.js", findings_js, sizeof findings_js},
    {"format.js", format_js, sizeof format_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"list.js", list_js, sizeof list_js},
    {"openapi.json", openapi, sizeof openapi},
    {"store.js", store_js, sizeof store_js},
    {"stream.js", stream_js, sizeof stream_js},
    {"weather.js", weather_js, sizeof weather_js},
};

static const size_t count = sizeof files / sizeof files[0];

const unsigned char *wt_console_bytes(size_t number) {
  return number < count ? files[number].bytes : NULL;
}

size_t wt_console_length(size_t number) { return number < count ? files[number].length : 0; }

const char *wt_console_name(size_t number) { return number < count ? files[number].name : NULL; }

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
#if defined(__ELF__)
__attribute__((used, retain, section("wt_modules")))
#elif defined(__APPLE__)
__attribute__((used, section("__DATA_CONST,__wt_modules")))
#endif
static const uint64_t link_mark[3] = {0xF1D38A6C57E294B0, 0x9C0EB7A52D41F863, 30};
