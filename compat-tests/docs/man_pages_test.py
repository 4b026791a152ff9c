# SPDX-License-Identifier: Apache-2.0
"""Man pages from Doxygen's XML. CI makes them from the headers; here a small piece of XML is enough."""
import importlib.util
import pathlib
import xml.etree.ElementTree as xml

SCRIPT = pathlib.Path(__file__).parents[2] / "docs/reference/man_pages.py"
SPEC = importlib.util.spec_from_file_location("man_pages", SCRIPT)
man_pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(man_pages)

HEADER = r"""<compounddef kind="file"><compoundname>locks.h</compoundname>
<innerclass refid="s">curator_list</innerclass>
<memberdef kind="typedef"><name>curator_fn</name><definition>typedef void(* curator_fn) (int level, const char *text)
</definition><type>void(*</type><argsstring>)(int level, const char *text)</argsstring>
<briefdescription><para>Takes a line.</para></briefdescription><detaileddescription/></memberdef>
<memberdef kind="function"><type><ref>curator_status</ref></type><name>curator_lock</name>
<param><type>const curator_mutex *</type><declname>mutex</declname></param>
<param><type>void(*)(int level)</type><declname>fn</declname></param>
<briefdescription><para>Takes the lock. </para></briefdescription>
<detaileddescription><para>.Or \x0a, see <ref>curator_unlock()</ref>.</para>
<para><parameterlist kind="param"><parameteritem><parameternamelist><parametername>mutex</parametername>
</parameternamelist><parameterdescription><para>the mutex</para></parameterdescription></parameteritem></parameterlist>
<parameterlist kind="retval"><parameteritem><parameternamelist><parametername>CURATOR_OK</parametername>
</parameternamelist><parameterdescription><para>held</para></parameterdescription></parameteritem></parameterlist>
<simplesect kind="par"><title>Blocks</title><para>no </para></simplesect></para></detaileddescription></memberdef>
<memberdef kind="enum"><name>curator_kind</name>
<enumvalue><name>CURATOR_A</name><initializer>= 3</initializer><briefdescription><para>One.</para></briefdescription>
<detaileddescription><para>More.</para></detaileddescription></enumvalue>
<enumvalue><name>CURATOR_B</name><briefdescription><para>Two.</para></briefdescription>
<detaileddescription/></enumvalue>
<briefdescription><para>Kinds.</para></briefdescription><detaileddescription/></memberdef>
<briefdescription><para>A lock.</para></briefdescription>
<detaileddescription><para><itemizedlist><listitem><para>first</para></listitem></itemizedlist></para>
<para><programlisting><codeline><highlight>a<sp/>-<sp/>b;</highlight></codeline></programlisting></para>
</detaileddescription></compounddef>"""
STRUCT = """<compounddef kind="struct"><compoundname>curator_list</compoundname>
<memberdef kind="variable"><type>char **</type><name>paths</name>
<briefdescription><para>The paths.</para></briefdescription><detaileddescription/></memberdef>
<briefdescription><para>A list.</para></briefdescription><detaileddescription/></compounddef>"""


def pages() -> dict:
    return man_pages.header_pages(xml.fromstring(HEADER), {"curator_list": xml.fromstring(STRUCT)}, "1.2.3")


def test_each_header_has_pages():
    headers = {header.stem for header in (SCRIPT.parents[2] / "include" / "curator").glob("*.h")}
    assert set(man_pages.HEADERS) == headers - {"api", "curator"}  # curator.h's page is libcurator(3)


def test_a_function_has_a_page_with_the_usual_sections():
    text = pages()["curator_lock"]
    assert text.startswith('.TH CURATOR_LOCK 3 "" "libcurator 1.2.3" "libcurator"\n')
    assert ".SH NAME\ncurator_lock \\- takes the lock\n" in text
    assert (".SH SYNOPSIS\n.nf\n\\fB#include <curator/locks.h>\\fP\n\n"
            "\\fBcurator_status curator_lock(\n    const curator_mutex *\\fImutex\\fB,\n"
            "    void (*\\fIfn\\fB)(int level));\\fP\n.fi\n") in text
    assert ".SH DESCRIPTION\nTakes the lock.\n.PP\n\\&.Or \\ex0a, see \\%\\fBcurator_unlock\\fP(3).\n" in text
    assert ".SH PARAMETERS\n.TP\n.B mutex\nthe mutex\n" in text
    assert ".SH RETURN VALUE\n.TP\n.B CURATOR_OK\nheld\n" in text
    assert ".SH BLOCKING\nNo.\n" in text
    assert ".SH THREADS" not in text
    assert "\\%\\fBcurator_locks\\fP(3), \\%\\fBcurator_unlock\\fP(3)" in text.split(".SH SEE ALSO\n")[1]


def test_a_header_has_a_page_with_its_types_and_examples():
    text = pages()["curator_locks"]
    assert ".SH NAME\ncurator_locks, curator_fn, curator_kind, curator_list \\- a lock\n" in text
    assert ".SH DESCRIPTION\n.IP \\(bu 2\nfirst\n" in text
    assert "\\fBvoid (*curator_fn)(int \\fIlevel\\fB, const char *\\fItext\\fB);\\fP\n" in text
    assert '.BR CURATOR_A " (3)"\nOne.\nMore.\n.TP\n.BR CURATOR_B " (4)"\nTwo.\n' in text
    assert ".SS curator_list\nA list.\n.TP\n\\fBchar **\\fIpaths\\fB\\fP\nThe paths.\n" in text
    assert ".SH EXAMPLES\n.EX\na \\- b;\n.EE\n" in text


def test_the_name_of_a_type_leads_to_the_page_of_its_header():
    for name in ("curator_fn", "curator_kind", "curator_list"):
        assert pages()[name] == ".so man3/curator_locks.3\n"
