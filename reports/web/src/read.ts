// SPDX-License-Identifier: Apache-2.0

// The report that stands in the page, or why it cannot be shown.
import {kPageVersion, type PageData} from './data';

export function readPage(): PageData | string {
    const text = document.getElementById('data')?.textContent ?? '';
    let page: PageData;
    try {
        page = JSON.parse(text) as PageData;
    } catch (error) {
        return `The report in this page cannot be read: ${(error as Error).message}`;
    }
    if (page.page_version !== kPageVersion) {
        return `This page shows reports of version ${kPageVersion}; this one has version ${page.page_version}.`;
    }
    return page;
}
