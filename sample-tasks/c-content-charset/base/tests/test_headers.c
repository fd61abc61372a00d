#include "headers.h"
#include "tap.h"

static struct headers headers;
static char charset[32];

static void names_ignore_case(void)
{
    EXPECT_INT(0, headers_parse(&headers, "Server: a\r\nX-Trace: 17\r\n\r\n"));
    EXPECT_INT(2, headers.count);
    EXPECT_TEXT("17", headers_get(&headers, "x-trace"));
}

static void missing_name_is_null(void)
{
    EXPECT_INT(0, headers_parse(&headers, "X-Trace-Id: 17\r\n"));
    EXPECT_INT(1, headers_get(&headers, "X-Trace") == NULL);
}

static void line_without_colon_is_refused(void)
{
    EXPECT_INT(-1, headers_parse(&headers, "Server: a\r\nnonsense\r\n\r\n"));
}

static void plain_charset(void)
{
    EXPECT_INT(0, headers_parse(&headers, "Content-Type: text/html; charset=ISO-8859-1\r\n\r\n"));
    EXPECT_INT(10, content_charset(&headers, charset, sizeof charset));
    EXPECT_TEXT("iso-8859-1", charset);
}

static void quoted_charset_after_another_parameter(void)
{
    EXPECT_INT(0, headers_parse(&headers, "content-type: text/plain; format=flowed; Charset=\"KOI8-R\"\r\n\r\n"));
    content_charset(&headers, charset, sizeof charset);
    EXPECT_TEXT("koi8-r", charset);
}

static void type_without_parameter(void)
{
    EXPECT_INT(0, headers_parse(&headers, "Content-Type: application/json\r\n\r\n"));
    content_charset(&headers, charset, sizeof charset);
    EXPECT_TEXT("utf-8", charset);
}

static void long_charset_is_cut(void)
{
    char small[5];
    EXPECT_INT(0, headers_parse(&headers, "Content-Type: text/html; charset=windows-1252\r\n\r\n"));
    EXPECT_INT(4, content_charset(&headers, small, sizeof small));
    EXPECT_TEXT("wind", small);
}

static void no_content_type(void)
{
    EXPECT_INT(0, headers_parse(&headers, "Server: a\r\nContent-Length: 0\r\n\r\n"));
    EXPECT_INT(5, content_charset(&headers, charset, sizeof charset));
    EXPECT_TEXT("utf-8", charset);
}

static void no_headers_at_all(void)
{
    EXPECT_INT(0, headers_parse(&headers, "\r\n"));
    content_charset(&headers, charset, sizeof charset);
    EXPECT_TEXT("utf-8", charset);
}

int main(void)
{
    tap_plan(9);
    RUN(names_ignore_case);
    RUN(missing_name_is_null);
    RUN(line_without_colon_is_refused);
    RUN(plain_charset);
    RUN(quoted_charset_after_another_parameter);
    RUN(type_without_parameter);
    RUN(long_charset_is_cut);
    RUN(no_content_type);
    RUN(no_headers_at_all);
    return tap_failures ? 1 : 0;
}
