#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Man pages of section 3 from Doxygen's XML: one for each function, and one for each header, to which the names of its
types lead. (Doxygen's own put all of a header into one page, under the name of the file.)

usage: man_pages.py XML_FOLDER MAN_FOLDER VERSION
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

LIBRARY = "Apache Curator's locks in C (libcurator, \\-lcurator)"
WIDTH = 76
HEADERS = ("framework", "mutex", "ownership", "lease", "participants", "contenders", "revocation", "read_write_lock",
           "semaphore", "semaphore_lease", "status", "retry", "log", "tracer")
OVERVIEWS = ["libcurator", *(f"curator_{stem}" for stem in HEADERS)]
BLOCKS = ("itemizedlist", "programlisting", "parameterlist", "simplesect")


def escaped(text: str) -> str:
    return text.replace("\\", "\\e")


def line_safe(text: str) -> str:
    """roff takes a line that begins with one of these for a request."""
    return "\\&" + text if text[:1] in (".", "'") else text


def plain(element) -> str:
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def inline(element) -> str:
    """The running text of an element, with fonts. A function is named as its page is."""
    text = escaped(element.text or "")
    for child in element:
        if child.tag not in BLOCKS:
            inner = inline(child)
            if child.tag == "ref" and inner.endswith("()"):
                inner = f"\\%\\fB{inner[:-2]}\\fP(3)"
            elif child.tag in ("ref", "computeroutput", "bold"):
                inner = "\\fB" + inner.replace("-", "\\-") + "\\fP"
            text += inner
        text += escaped(child.tail or "")
    return re.sub(r"\s+", " ", text)


def code(listing) -> list:
    for space in listing.iter("sp"):
        space.text = " "
    lines = ["".join(line.itertext()).rstrip() for line in listing.iter("codeline")]
    return [".EX", *(line_safe(escaped(line).replace("-", "\\-")) for line in lines), ".EE"]


class Description:
    """What a comment says, taken apart: running text, parameters, statuses, titled sections, examples."""

    def __init__(self, *elements):
        self.lines, self.parameters, self.statuses, self.sections, self.examples = [], [], [], {}, []
        for element in elements:
            for para in element.findall("para"):
                self._add(para)
        if self.lines[:1] == [".PP"]:
            del self.lines[0]

    def in_item(self) -> list:
        """Behind a tag: a new paragraph would end its indentation."""
        return [line for line in self.lines if line != ".PP"]

    def section(self, title: str) -> list:
        """A titled section as a sentence."""
        return [line[:1].upper() + line[1:].rstrip(".") + "." for line in self.sections.get(title, [])]

    def _add(self, para):
        text = inline(para).strip()
        if text:
            self.lines += [".PP", line_safe(text)]
        for block in para:
            if block.tag == "itemizedlist":
                for item in block.findall("listitem"):
                    self.lines += [".IP \\(bu 2", *Description(item).in_item()]
            elif block.tag == "programlisting":
                self.examples += code(block)
            elif block.tag == "parameterlist":
                found = self.statuses if block.get("kind") == "retval" else self.parameters
                for item in block.findall("parameteritem"):
                    name = plain(item.find("parameternamelist"))
                    found += [".TP", f".B {name}", *Description(item.find("parameterdescription")).in_item()]
            elif block.tag == "simplesect":
                title = "return" if block.get("kind") == "return" else plain(block.find("title"))
                self.sections[title] = Description(block).lines


def name_of(element) -> str:
    return element.findtext("name") or element.findtext("compoundname")


def described(element) -> Description:
    return Description(element.find("briefdescription"), element.find("detaileddescription"))


def brief(element) -> str:
    """The first sentence as what follows a name: without its capital letter and full stop."""
    text = escaped(plain(element.find("briefdescription"))).rstrip(".")
    return text if text.startswith("Apache") else text[:1].lower() + text[1:]


def declaration(type_name: str, name: str) -> str:
    """As C has it, all bold but the name: Doxygen gives that of a pointer to a function after the type."""
    name = f"\\fI{name}\\fB"
    if "(*)" in type_name:
        return type_name.replace("(*)", f" (*{name})", 1)
    return f"{type_name}{'' if type_name.endswith('*') else ' '}{name}"


def prototype(head: str, parameters) -> list:
    parts = [declaration(plain(each.find("type")), each.findtext("declname")) for each in parameters
             if each.find("declname") is not None] or ["void"]
    line = f"\\fB{head}({', '.join(parts)});\\fP"
    if len(re.sub(r"\\f.", "", line)) <= WIDTH:
        return [line]
    return [f"\\fB{head}(", *(f"    {part}," for part in parts[:-1]), f"    {parts[-1]});\\fP"]


def function_prototype(function) -> list:
    return_type = plain(function.find("type"))
    return prototype(f"{return_type}{'' if return_type.endswith('*') else ' '}{function.findtext('name')}",
                     function.findall("param"))


def synopsis(header: str, *prototypes) -> list:
    lines = [".nf", f"\\fB#include <curator/{header}>\\fP"]
    for each in prototypes:
        lines += ["", *each]
    return [*lines, ".fi"]


def page(name: str, version: str, sections: dict) -> str:
    lines = [f'.TH {name.upper()} 3 "" "libcurator {version}" "libcurator"', ".nh", ".ad l"]
    for title, content in sections.items():
        if content:
            lines += [f".SH {title}", *content]
    return "\n".join(lines) + "\n"


def see_also(names) -> list:
    return [", ".join(f"\\%\\fB{name}\\fP(3)" for name in names)]


def mentioned(element) -> list:
    """The functions that a description names, in their order, each once."""
    names = [plain(ref)[:-2] for ref in element.iter("ref") if plain(ref).endswith("()")]
    return list(dict.fromkeys(names))


def function_page(function, header: str, overview: str, version: str) -> str:
    name = function.findtext("name")
    about = described(function)
    others = [each for each in mentioned(function) if each != name]
    return page(name, version, {
        "NAME": [f"{name} \\- {brief(function)}"],
        "LIBRARY": [LIBRARY],
        "SYNOPSIS": synopsis(header, function_prototype(function)),
        "DESCRIPTION": about.lines,
        "PARAMETERS": about.parameters,
        "RETURN VALUE": about.sections.get("return", []) + about.statuses,
        "BLOCKING": about.section("Blocks"),
        "THREADS": about.section("Threads"),
        "IN CURATOR": about.section("In Curator"),
        "SEE ALSO": see_also(dict.fromkeys([overview, *others, "curator_last_error"])),
    })


def type_section(member) -> list:
    """A type of a header: what it is, and its values, members or parameters."""
    name, about = name_of(member), described(member)
    lines = [f".SS {name}"]
    if "(*" in member.findtext("definition", ""):
        lines += [".nf", *prototype(f"{plain(member.find('type')).split('(')[0].strip()} (*{name})",
                                    typedef_parameters(member)), ".fi", ".PP"]
    lines += about.lines + about.parameters
    if about.sections.get("return"):
        lines += [".PP", "Returns:", *about.sections["return"]]
    number = -1
    for value in member.findall("enumvalue"):
        initializer = value.findtext("initializer")
        number = int(initializer.lstrip("= ")) if initializer else number + 1
        lines += [".TP", f".BR {value.findtext('name')} \" ({number})\"", *described(value).in_item()]
    for each in member.iter("memberdef") if member.tag == "compounddef" else ():
        lines += [".TP", f"\\fB{declaration(plain(each.find('type')), each.findtext('name'))}\\fP",
                  *described(each).in_item()]
    return lines


def typedef_parameters(member) -> list:
    """Doxygen leaves the parameters of a pointer to a function in one string."""
    found = []
    for text in member.findtext("argsstring").strip("()").split(","):
        each = xml.Element("param")
        type_name, name = re.match(r"\s*\)?\(?(.*?)(\w+)$", text).groups()
        xml.SubElement(each, "type").text = type_name.strip()
        xml.SubElement(each, "declname").text = name
        found.append(each)
    return found


def header_pages(file, structs: dict, version: str) -> dict:
    """The pages of a header by name: its functions', its own, and those that only lead there."""
    header = file.findtext("compoundname")
    stem = header.removesuffix(".h")
    overview = "libcurator" if stem == "curator" else f"curator_{stem}"
    functions = [each for each in file.iter("memberdef") if each.get("kind") == "function"]
    types = [each for each in file.iter("memberdef") if each.get("kind") in ("typedef", "enum")]
    types += [structs[plain(each)] for each in file.findall("innerclass")]
    names = list(dict.fromkeys([overview, *map(name_of, types)]))
    about = Description(file.find("detaileddescription"))
    pages = {name_of(each): function_page(each, header, overview, version) for each in functions}
    pages[overview] = page(overview, version, {
        "NAME": [f"{', '.join(names)} \\- {brief(file)}"],
        "LIBRARY": [LIBRARY],
        "SYNOPSIS": synopsis(header, *map(function_prototype, functions)),
        "DESCRIPTION": about.lines,
        "TYPES": [line for each in types for line in type_section(each)],
        "EXAMPLES": about.examples,
        "IN CURATOR": about.section("In Curator"),
        "SEE ALSO": see_also([*map(name_of, functions), *(each for each in OVERVIEWS if each != overview)]),
    })
    for name in names[1:]:
        pages[name] = f".so man3/{overview}.3\n"
    return pages


def main(xml_folder: str, man_folder: str, version: str):
    compounds = [xml.parse(path).getroot().find("compounddef") for path in pathlib.Path(xml_folder).glob("*.xml")
                 if path.name != "index.xml"]
    structs = {each.findtext("compoundname"): each for each in compounds
               if each is not None and each.get("kind") == "struct"}
    folder = pathlib.Path(man_folder)
    folder.mkdir(parents=True, exist_ok=True)
    for file in compounds:
        if file is not None and file.get("kind") == "file" and file.findtext("compoundname") != "api.h":
            for name, text in header_pages(file, structs, version).items():
                (folder / f"{name}.3").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
