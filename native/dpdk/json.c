/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

/* Bytes of the UTF-8 character that begins here; 0 when none does. A request may be cut anywhere.
 */
static int utf8_bytes(const unsigned char *text)
{
    int bytes = text[0] < 0x80   ? 1
                : text[0] < 0xC2 ? 0
                : text[0] < 0xE0 ? 2
                : text[0] < 0xF0 ? 3
                                 : 4;
    if (text[0] > 0xF4 || (text[0] == 0xE0 && text[1] < 0xA0) ||
        (text[0] == 0xED && text[1] > 0x9F) || (text[0] == 0xF0 && text[1] < 0x90) ||
        (text[0] == 0xF4 && text[1] > 0x8F))
        return 0; /* too long for what it says, or a surrogate, or beyond Unicode */
    for (int i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
    }
    return bytes;
}

void json_put_string(FILE *out, const char *string)
{
    const unsigned char *text = (const unsigned char *)string;
    fputc('"', out);
    while (*text != '\0') {
        int bytes = utf8_bytes(text);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (*text < 0x20 || *text == 0x7F)
            fprintf(out, "\\u%04x", *text);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, (size_t)bytes, out);
        text += bytes == 0 ? 1 : bytes;
    }
    fputc('"', out);
}
